// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreConformance
import Testing
import _CoreDataModel
import _CoreDataStore

@Suite("Damaged files of stores")
struct DamagedFileTests {
  private static let rounds = Damage.rounds(60)

  @Test("are errors that name the place, or stores that work", arguments: [0, 1])
  func variants(_ format: Int) throws {
    let fixture = try FileStoreFixture(FileStoreConformanceTests.formats[format])
    try fixture.fill(try fixture.open(), teams: 2)
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    var refused = 0
    for seed in 0..<Self.rounds {
      let data = Damage.copy(of: whole, seed)
      try data.write(to: URL(fileURLWithPath: fixture.path))
      do {
        let store = try fixture.open()
        _ = try StoreImage(store)
        try fixture.fill(store, teams: 1)
        #expect(try StoreImage.isEqual(try fixture.open(), store), "variant \(seed)")
      } catch let error as StoreError {
        refused += 1
        let isNamed =
          error.code == .incompatibleModel
          || error.message.contains("line ") || error.message.contains("byte ")
          || error.message.contains("missing") || error.message.contains("metadata")
          || error.message.contains("root element") || error.message.contains("property list")
        #expect(isNamed, "variant \(seed): \(error)")
        #expect([.corrupt, .incompatibleModel].contains(error.code), "variant \(seed): \(error)")
      }
    }
    #expect(refused > Int(Self.rounds) / 3)
  }

  /// The files in which the checksum of the binary store is right again.
  @Test("of binary stores with a right checksum are errors as well")
  func checkedVariants() throws {
    let fixture = try FileStoreFixture(BinaryStoreFormat())
    try fixture.fill(try fixture.open(), teams: 2)
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    for seed in 0..<Self.rounds {
      var data = Damage.copy(of: whole, seed)
      if data.count >= 16 {
        let checksum = CRC32.checksum(of: data.dropFirst(16)).littleEndian
        withUnsafeBytes(of: checksum) { data.replaceSubrange(12..<16, with: $0) }
      }
      try data.write(to: URL(fileURLWithPath: fixture.path))
      do {
        _ = try StoreImage(try fixture.open())
      } catch let error as StoreError {
        #expect([.corrupt, .incompatibleModel].contains(error.code), "variant \(seed): \(error)")
      }
    }
  }

  @Test("that hand-written elements make are refused with the line")
  func elements() throws {
    let fixture = try FileStoreFixture(XMLStoreFormat())
    try fixture.fill(try fixture.open(), teams: 1)
    let whole = try String(contentsOfFile: fixture.path, encoding: .utf8)
    let cases: [(old: String, new: String, text: String)] = [
      ("id=\"z2\"", "id=\"z1\"", "two objects have the number 1"),
      ("id=\"z2\"", "id=\"x2\"", "the id “x2” is not of the form “z1”"),
      ("type=\"TEAM\" id", "type=\"HORSE\" id", "no entity for the type “HORSE”"),
      ("name=\"wins\"", "name=\"losses\"", "has no attribute for the name “losses”"),
      ("type=\"int32\">0<", "type=\"int32\">many<", "“many” is not a value of Team.wins"),
      (
        "destination=\"TEAM\" idrefs=\"z2\"", "destination=\"TEAM\" idrefs=\"z99\"",
        "which is missing"
      ),
      ("destination=\"TEAM\" idrefs=\"z2\"", "destination=\"TEAM\" idrefs=\"z1\"", "not Team"),
      (
        "destination=\"TEAM\" idrefs=\"z2\"", "destination=\"TEAM\" idrefs=\"z2 z2\"",
        "several objects"
      ),
      ("<UUID>", "<UUIE>", "not well-formed"),
      ("</object>", "<b/></object>", "<b> is not expected here"),
    ]
    for (old, new, text) in cases {
      let range = try #require(whole.range(of: old), "\(old)")
      try whole.replacingCharacters(in: range, with: new)
        .write(toFile: fixture.path, atomically: true, encoding: .utf8)
      let error = #expect(throws: StoreError.self, "\(new)") { try fixture.open() }
      #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
      #expect(error?.message.contains("line ") == true, "\(error?.message ?? "")")
    }
  }
}
