// SPDX-License-Identifier: Apache-2.0

import FixtureStores
import Foundation
import SharedFolder
import Testing
import _CoreDataSQLite
import _CoreDataStore

@Suite(.enabled(if: Shared.isThere, "no shared folder"))
struct FixtureMetadataTests {
  @Test("Metadata that Apple's framework wrote are written with the same values in no more bytes")
  func sameLength() throws {
    var lengths = 0
    for fixture in FixtureStore.all {
      let path = Shared.store(fixture.name).path
      let file = try StoreFile(path: path, access: .untouched)
      guard case .blob(let list)? = try file.rows("SELECT Z_PLIST FROM Z_METADATA").first?.first
      else { continue }
      let metadata = try StoreMetadata(propertyList: list)
      let written = try metadata.propertyList()
      // Apple's framework wrote an equal value twice in two of the files.
      #expect(written.count <= list.count, "\(fixture)")
      if written.count == list.count { lengths += 1 }
      let again = try StoreMetadata(propertyList: written).values
      #expect(NSDictionary(dictionary: again) == NSDictionary(dictionary: metadata.values))
    }
    #expect(lengths > 50)
  }
}
