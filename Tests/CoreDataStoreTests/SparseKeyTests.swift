// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataStore

@Suite("Keys of objects in files")
struct SparseKeyTests {
  private static func fixture(
    _ changes: [(old: String, new: String)]
  ) throws -> FileStoreFixture {
    let fixture = try FileStoreFixture(XMLStoreFormat())
    try fixture.fill(try fixture.open(), teams: 1)
    var text = try String(contentsOfFile: fixture.path, encoding: .utf8)
    for (old, new) in changes { text = text.replacingOccurrences(of: old, with: new) }
    try text.write(toFile: fixture.path, atomically: true, encoding: .utf8)
    return fixture
  }

  @Test("A key far above the others needs no memory for those between them, and is used like them")
  func farKey() throws {
    let fixture = try Self.fixture([("\"z2\"", "\"z1000000000000\"")])
    let store = try fixture.open()
    let image = try StoreImage(store)
    try fixture.fill(store, teams: 1)
    #expect(try StoreImage.isEqual(try fixture.open(), store))
    #expect(try StoreImage(store) != image)
    let keys = try store.reserveKeys(for: [0])
    #expect(keys[0].number > 1_000_000_000_000)
  }

  @Test("A key that is too large is an error, as is a save for whose objects no keys are left")
  func limits() throws {
    let tooLarge = try Self.fixture([("\"z2\"", "\"z\(ObjectKey.maximumNumber + 1)\"")])
    #expect(throws: StoreError.self) { try tooLarge.open() }
    let last = try Self.fixture([("\"z2\"", "\"z\(ObjectKey.maximumNumber)\"")])
    let store = try last.open()
    let error = #expect(throws: StoreError.self) { try last.fill(store) }
    #expect(error?.message.contains("no primary keys left") == true)
  }
}
