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

  private func reason(_ data: Data) -> String? {
    do {
      _ = try PropertyListReader.root(of: data)
      return nil
    } catch {
      return (error as? ModelError)?.reason
    }
  }

  @Test func theErrorOfAListSaysWhatIsWrongAndWhere() {
    #expect(reason(Data("plain".utf8)) == "the data is not a property list")
    #expect(reason(Data("bplist00".utf8)) == "the property list is incomplete: it has only 8 bytes")
    var list = PropertyListNode.text("end")
    for _ in 0..<600 { list = .array([list]) }
    let deep = "the property list is nested more than 512 levels deep"
    #expect(reason(PropertyListWriter.data(list)) == deep)
    // Each level refers twice to the next.
    var bytes = Data("bplist00".utf8)
    var offsets: [UInt8] = []
    for level in 0..<25 {
      offsets.append(UInt8(bytes.count))
      bytes.append(contentsOf: level == 24 ? [0x09] : [0xA2, UInt8(level + 1), UInt8(level + 1)])
    }
    let table = UInt8(bytes.count)
    bytes.append(contentsOf: offsets + [0, 0, 0, 0, 0, 0, 1, 1])
    for word in [25, 0, table] { bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, word]) }
    #expect(reason(bytes) == "the property list has more than 4,000,000 values")
    bytes[8] = 0xF0
    #expect(reason(bytes) == "the property list is damaged at byte 8")
    bytes[bytes.count - 26] = 9
    #expect(
      reason(bytes) == "the property list is damaged or incomplete: its last 32 bytes are not valid"
    )
  }

  @Test(arguments: [
    ("<dict/>", "the root element is <dict>, not <plist>"),
    ("<plist/>", "the property list contains no value"),
    ("<plist><integer>x</integer></plist>", "the <integer> “x” is not an integer of 64 bits"),
    ("<plist><dict><key>a</key></dict></plist>", "a <dict> must contain a value for each <key>"),
    (
      "<plist><dict><true/><true/></dict></plist>",
      "a <dict> contains <true> where a <key> is expected"
    ),
    ("<plist><text/></plist>", "<text> is not an element of property lists"),
  ])
  func theErrorOfAnXMLListNamesTheElement(text: String, expected: String) {
    #expect(reason(Data(text.utf8)) == expected)
  }

  @Test func rawDeflateRoundTripsAndRefusesDamage() throws {
    let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 100) })
    let packed = try RawDeflate.deflated(data)
    #expect(packed.count < data.count / 10)
    #expect(try RawDeflate.inflated(packed) == data)
    #expect(try RawDeflate.inflated(RawDeflate.deflated(Data())) == Data())
    for (data, limit, reason) in [
      (packed.prefix(packed.count / 2), 1 << 20, "the compressed data is incomplete"),
      (packed, 1000, "the decompressed data has more than 1000 bytes"),
      (Data(), 1 << 20, "the compressed data is incomplete"),
      (Data(repeating: 0xFF, count: 9), 1 << 20, "the compressed data is damaged"),
    ] {
      let error = #expect(throws: ModelError.self) { try RawDeflate.inflated(data, limit: limit) }
      #expect(error?.reason == reason)
    }
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
