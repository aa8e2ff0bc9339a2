// SPDX-License-Identifier: Apache-2.0

import FixtureStores
import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// Whole stores of other people's apps, against plain SQL on the same file.
@Suite("Stores of the collection", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct FixtureReadingTests {
  @Test("Read with their model as plain SQL reads them", arguments: FixtureStore.chosen)
  func withModel(fixture: FixtureStore) throws {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try fixture.copy(to: folder)
    guard let model = try fixture.model(storedAt: path) else { return }
    try compare(model, SQLiteStoreOptions(path: path), path)
  }

  @Test(
    "Read with the model they keep, or one made of their tables",
    arguments: FixtureStore.chosen
  )
  func withoutModel(fixture: FixtureStore) throws {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try fixture.copy(to: folder)
    let stored = try StoredModel.read(path: path)
    #expect(stored.problem == nil)
    let hasCache = try RawRows.read(path) { raw in
      try !raw.texts("SELECT name FROM sqlite_master WHERE name = 'Z_MODELCACHE'").isEmpty
        && !raw.rows("SELECT 1 FROM Z_MODELCACHE").isEmpty
    }
    #expect(stored.source == (hasCache ? .cache : .tables))
    var options = SQLiteStoreOptions(path: path)
    options.isReadOnly = true
    options.ignoresModelVersions = stored.source == .tables
    try compare(try ModelDefinition(stored.draft), options, path)
  }

  // MARK: Comparison

  private func compare(
    _ model: ModelDefinition,
    _ options: SQLiteStoreOptions,
    _ path: String
  ) throws {
    let store = try SQLiteStore(model: model, index: 0, options: options)
    defer { store.close() }
    try RawRows.read(path) { raw in
      for root in model.entities where root.parent == nil {
        let layout = store.layout.entities[root.index]
        var expected: [Int64: [String: RawRows.Cell]] = [:]
        for row in try raw.rows("SELECT * FROM \(layout.table)") {
          if let number = row["Z_PK"]?.number { expected[number] = row }
        }
        guard case .rows(let rows) = try store.fetch(FetchDescription(entity: root.index)) else {
          Issue.record("no rows")
          continue
        }
        #expect(rows.keys.count == expected.count, "\(root.name)")
        rows.forEach { key, chunk, row in
          guard let cells = expected[key.number] else {
            Issue.record("\(root.name) has no row \(key.number)")
            return
          }
          compare(model.entities[key.entity], store, chunk, row, cells)
        }
        for member in root.family { try compareMembers(model.entities[member], store, raw) }
      }
    }
  }

  private func compare(
    _ entity: EntityDefinition,
    _ store: SQLiteStore,
    _ chunk: RowChunk,
    _ row: Int,
    _ cells: [String: RawRows.Cell]
  ) {
    let layout = store.layout.entities[entity.index]
    // Where a table has one entity its number is not looked at; one file has stale ones.
    if layout.sharesTable { #expect(cells["Z_ENT"]?.number == layout.number) }
    for slot in entity.storedSlots {
      let property = entity.properties[slot]
      // A name that sub-entities share carries a number, which only the layout knows.
      var column = "Z" + property.name.uppercased()
      if cells[column] == nil || isShared(property, in: store.model.entities[entity.root], store) {
        column = layout.column(slot)?.name ?? column
      }
      let found = chunk.value(row, slot)
      let cell = cells[column] ?? .null
      if !matches(found, cell, property) {
        Issue.record("\(entity.name).\(property.name): \(found) is not \(cell) of \(column)")
      }
    }
  }

  private func isShared(
    _ property: PropertyDefinition,
    in root: EntityDefinition,
    _ store: SQLiteStore
  ) -> Bool {
    let declaring = root.family.flatMap { store.model.entities[$0].properties }
      .filter { $0.name.uppercased() == property.name.uppercased() }.map(\.declaringEntity)
    return Set(declaring).count > 1
  }

  private func matches(
    _ value: Value,
    _ cell: RawRows.Cell,
    _ property: PropertyDefinition
  ) -> Bool {
    switch (value, cell) {
    case (.null, .null): return true
    // A dangling 0, and a file beside the store that the collection does not have.
    case (.null, .integer(0)): return property.isToOne
    case (.null, .blob(let data)): return data.first == 2
    case (.int(let number), .integer(let other)): return number == other
    case (.bool(let flag), .integer(let other)): return flag == (other != 0)
    case (.double(let number), .real(let other)), (.date(let number), .real(let other)):
      return number == other
    case (.double(let number), .integer(let other)), (.date(let number), .integer(let other)):
      return number == Double(other)
    case (.decimal(let number), .real(let other)):
      return abs(NSDecimalNumber(decimal: number).doubleValue - other) <= abs(other) * 1e-14
    case (.decimal(let number), .text("NaN")): return number.isNaN
    case (.decimal(let number), .integer(let other)): return number == Decimal(other)
    case (.text(let text), .text(let other)): return text == other
    case (.url(let url), .text(let other)): return url.absoluteString == other
    case (.uuid(let uuid), .blob(let data)):
      return withUnsafeBytes(of: uuid.uuid) { data.elementsEqual($0) }
    case (.data(let data), .blob(let other)):
      let isTagged = property.attribute?.allowsExternalStorage ?? false
      return data == (isTagged ? other.dropFirst() : other[...])
    case (.key(let key), .integer(let number)): return key.number == number
    default: return false
    }
  }

  /// Every to-many of every owner: the same members as the engine counts.
  private func compareMembers(
    _ entity: EntityDefinition,
    _ store: SQLiteStore,
    _ raw: RawRows
  ) throws {
    var keys = FetchDescription(entity: entity.index)
    keys.includesSubentities = false
    keys.shape = .keys
    guard case .keys(let owners) = try store.fetch(keys), !owners.isEmpty else { return }
    for slot in entity.toManySlots where !entity.properties[slot].isTransient {
      let property = entity.properties[slot]
      let members = try #require(
        store.layout.entities[entity.index].members[slot],
        "\(entity.name).\(property.name) lies nowhere"
      )
      let columns = try raw.rows("SELECT name FROM pragma_table_info('\(members.table)')")
        .compactMap(\.["name"])
      #expect(columns.contains(.text(members.ownerColumn)), "\(entity.name).\(property.name)")
      #expect(columns.contains(.text(members.memberColumn)), "\(entity.name).\(property.name)")
      let numbers = owners.map { String($0.number) }.joined(separator: ",")
      var expected: [Int64: Set<Int64>] = [:]
      for row in try raw.rows(
        "SELECT \(members.ownerColumn) AS owner, \(members.memberColumn) AS member "
          + "FROM \(members.table) WHERE \(members.ownerColumn) IN (\(numbers))"
      ) {
        guard let owner = row["owner"]?.number, let member = row["member"]?.number else { continue }
        expected[owner, default: []].insert(member)
      }
      let found = try store.members(of: owners, slot: slot)
      for (owner, keys) in zip(owners, found)
      where Set(keys.map(\.number)) != expected[owner.number] ?? [] {
        Issue.record("\(entity.name).\(property.name) of \(owner.number): \(keys) is not right")
      }
    }
  }
}
