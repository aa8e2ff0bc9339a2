// SPDX-License-Identifier: Apache-2.0

import Foundation
import SharedFolder
import Testing
import _CoreDataModel

struct PropertyListTests {
  static let list = PropertyListNode.dictionary([
    "flags": .array([.bool(true), .bool(false)]),
    "numbers": .array(
      [0, 255, 256, 65_536, 1 << 40, -1, .min, .max].map(PropertyListNode.integer)
    ),
    "reals": .array([.real(0.5), .real(-1e300), .date(42)]),
    "texts": .array([.text(""), .text("Zürich"), .text(String(repeating: "x", count: 300))]),
    "data": .data(Data(repeating: 7, count: 20)),
    "places": .array([.reference(0), .reference(300), .reference(70_000)]),
    "many": .array((0..<400).map { .integer($0) }),
  ])

  @Test func aListReadsBackAsItWasWritten() throws {
    #expect(try PropertyListReader.root(of: PropertyListWriter.data(Self.list)) == Self.list)
  }

  @Test func foundationReadsWhatIsWritten() throws {
    let list = PropertyListNode.dictionary(["n": .integer(-5), "t": .array([.text("ü")])])
    let read = try PropertyListSerialization.propertyList(
      from: PropertyListWriter.data(list),
      format: nil
    )
    let members = try #require(read as? [String: Any])
    #expect(members["n"] as? Int == -5)
    #expect(members["t"] as? [String] == ["ü"])
  }

  @Test func aDamagedListIsAnErrorAndNeverACrash() throws {
    let data = PropertyListWriter.data(Self.list)
    for length in stride(from: 0, to: data.count, by: 3) {
      #expect(throws: ModelError.self) { try PropertyListReader.root(of: data.prefix(length)) }
    }
    for index in data.indices {
      var damaged = data
      damaged[index] ^= 0xFF
      _ = try? PropertyListReader.root(of: damaged)
    }
  }

  @Test func rawDeflateRoundTripsAndRefusesDamage() throws {
    let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 100) })
    let packed = try RawDeflate.deflated(data)
    #expect(packed.count < data.count / 10)
    #expect(try RawDeflate.inflated(packed) == data)
    #expect(try RawDeflate.inflated(RawDeflate.deflated(Data())) == Data())
    #expect(throws: ModelError.self) { try RawDeflate.inflated(packed.prefix(packed.count / 2)) }
    #expect(throws: ModelError.self) { try RawDeflate.inflated(packed, limit: 1000) }
    #expect(throws: ModelError.self) { try RawDeflate.inflated(Data()) }
  }

  @Test(.enabled(if: Shared.has("fixtures/compiled"), "\(Shared.absent)"))
  func compiledModelsOfTheCollectionReadAsKeyedArchives() throws {
    var read = 0
    for folder in try FileManager.default.contentsOfDirectory(
      atPath: Shared.url("fixtures/compiled").path
    )
    where folder != "mappingmodels" {
      for file in try Shared.files(in: "fixtures/compiled/" + folder, extension: "mom") {
        // An XML property list, written by another library.
        if file.path.contains("FreeCoreData") { continue }
        let archive = try KeyedArchive(Data(contentsOf: file))
        #expect(archive.className(archive.root) == "NSManagedObjectModel", "\(file.path)")
        #expect(archive.root?["NSEntities"] != nil)
        read += 1
      }
    }
    #expect(read > 5)
  }
}
