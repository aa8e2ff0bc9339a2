// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

@Suite("What a file says about itself")
struct CatalogueTests {
  @Test("Entities come by number with the last key given, the history's own among them as reserved")
  func entities() throws {
    let fixture = try StoreFixture(Models.league)
    let key = try fixture.insert("Team", ["name": .text("A")])
    _ = try RawDatabase.texts(
      fixture.path,
      "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(16001, 'CHANGE', 0, 7)"
    )
    let file = try StoreFile(path: fixture.path, access: .untouched)
    let entities = try file.entities()
    #expect(entities.map(\.number) == entities.map(\.number).sorted())
    let team = try #require(entities.first { $0.name == "Team" })
    #expect(team.lastKey == key.number && team.parent == 0 && !team.isReserved)
    #expect(entities.filter(\.isReserved).map(\.name) == ["CHANGE"])
    let schema = try file.schema()
    #expect(schema.numbers["Team"] == team.number && schema.numbers["CHANGE"] == nil)
    #expect(schema.columns["ZTEAM"]?.prefix(3) == ["Z_PK", "Z_ENT", "Z_OPT"])
  }

  @Test("A database without a store's tables is refused, and the error names what is missing")
  func missing() throws {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("other.sqlite").path
    _ = try RawDatabase.texts(path, "CREATE TABLE Z_METADATA(a)")
    let openings: [() throws -> Void] = [
      { _ = try StoreFile(path: path, access: .untouched) },
      { _ = try StoredModel.read(path: path) },
      {
        let options = SQLiteStoreOptions(path: path)
        _ = try SQLiteStore(model: ModelDefinition(Models.league), index: 0, options: options)
      },
    ]
    for open in openings {
      let error = #expect(throws: StoreError.self) { try open() }
      #expect(error?.code == .corrupt && error?.path == path)
      #expect(error?.message.contains("Z_PRIMARYKEY") == true)
      #expect(error?.message.contains("Z_METADATA") == false)
    }
  }

  @Test("A database without tables is told apart from one with other tables")
  func empty() throws {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("empty.sqlite").path
    _ = try RawDatabase.texts(path, "CREATE TABLE mine(a)")
    _ = try RawDatabase.texts(path, "DROP TABLE mine")
    let error = #expect(throws: StoreError.self) { try StoreFile(path: path, access: .untouched) }
    #expect(error?.code == .corrupt && error?.path == path)
    #expect(error?.message.contains("without tables") == true)
  }

  @Test(
    "Missing and damaged metadata are told apart",
    arguments: [
      ("DELETE FROM Z_METADATA", "no row with Z_VERSION 1"),
      ("UPDATE Z_METADATA SET Z_UUID = NULL", "Z_UUID is NULL"),
      ("UPDATE Z_METADATA SET Z_PLIST = x'00'", "cannot be read"),
    ]
  )
  func damagedMetadata(damage: String, cause: String) throws {
    let fixture = try StoreFixture(Models.league)
    _ = try RawDatabase.texts(fixture.path, damage)
    let file = try StoreFile(path: fixture.path, access: .readWrite)
    let error = #expect(throws: StoreError.self) { try file.metadata() }
    #expect(error?.code == .corrupt && error?.path == fixture.path)
    #expect(error?.message.contains(cause) == true, "\(error?.message ?? "")")
  }

  @Test("A save that finds no row for its entity in Z_PRIMARYKEY is refused")
  func withoutEntity() throws {
    let fixture = try StoreFixture(Models.league)
    _ = try RawDatabase.texts(fixture.path, "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'")
    let error = #expect(throws: StoreError.self) {
      try fixture.insert("Team", ["name": .text("A")])
    }
    #expect(error?.code == .corrupt && error?.path == fixture.path)
    #expect(error?.message.contains("no row for entity Team (Z_ENT ") == true)
  }
}
