// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// Reads of a store through one connection.
struct PostgresReads {
  let store: PostgresStore
  let connection: PostgresConnection

  /// The greatest number of keys in the array of one statement.
  static let blockSize = 20_000

  private var model: ModelDefinition { store.model }
  private var queries: PostgresQueries { store.queries }
  private var reader: PostgresRowReader { store.reader }

  // MARK: Rows

  func rows(for keys: [ObjectKey]) throws -> FetchedRows {
    var byRoot: [Int: [Int64]] = [:]
    for key in keys where !key.isTemporary {
      byRoot[model.entities[key.entity].root, default: []].append(key.number)
    }
    var rows = FetchedRows()
    for (root, numbers) in byRoot.sorted(by: { $0.key < $1.key }) {
      if numbers.count == 1 {
        rows = try reader.rows(
          of: queries.row(root: root),
          PostgresFields([.integer(numbers[0])]),
          from: connection,
          queries.sources[root],
          after: rows,
          capacity: 1
        )
        continue
      }
      for block in Self.blocks(of: numbers) {
        var values = PostgresFields()
        values.append(block)
        rows = try reader.rows(
          of: queries.rows(root: root),
          values,
          from: connection,
          queries.sources[root],
          after: rows,
          capacity: block.count
        )
      }
    }
    return rows
  }

  static func blocks(of numbers: [Int64]) -> [[Int64]] {
    stride(from: 0, to: numbers.count, by: blockSize).map {
      Array(numbers[$0..<min($0 + blockSize, numbers.count)])
    }
  }

  // MARK: Members

  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    guard let first = owners.first else { return [] }
    // A transient relationship has no pairs in the store; its members exist only in objects.
    if model.entities[first.entity].properties[slot].isTransient {
      return Array(repeating: [], count: owners.count)
    }
    let pairs = try store.planner.pairs(entity: first.entity, slot: slot, of: .list)
    var members: [Int64: [ObjectKey]] = [:]
    members.reserveCapacity(owners.count)
    for block in Self.blocks(of: Array(Set(owners.map(\.number)))) {
      var values = PostgresFields()
      values.append(block)
      let result = try connection.run(pairs.statement.text, values)
      for row in 0..<result.rowCount {
        let key =
          pairs.hasEntityColumn
          ? try reader.key(entityNumber: result.integer(row, 2), result.integer(row, 1))
          : try reader.key(pairs.destination, result.integer(row, 1))
        members[result.integer(row, 0), default: []].append(key)
      }
    }
    return owners.map { members[$0.number] ?? [] }
  }

  /// Returns the rows of the members of a to-many, with those of each owner in their order; nil for a
  /// relationship with a table of its own.
  func memberRows(of owners: [ObjectKey], slot: Int) throws -> FetchedRows? {
    guard let first = owners.first,
      let query = queries.memberRows(entity: first.entity, slot: slot)
    else { return nil }
    var rows = FetchedRows()
    for block in Self.blocks(of: Array(Set(owners.map(\.number)))) {
      var values = PostgresFields()
      values.append(block)
      rows = try reader.rows(
        of: query.text,
        values,
        from: connection,
        queries.sources[query.entity],
        after: rows
      )
    }
    return rows
  }

  /// Returns the members of each owner with their rows; nil unless the rows of the members contain their
  /// owner.
  func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows? {
    guard let first = owners.first,
      let inverse = model.entities[first.entity].properties[slot].relationship?.inverse,
      let rows = try memberRows(of: owners, slot: slot)
    else { return nil }
    var members: [Int64: [ObjectKey]] = [:]
    rows.forEach { key, chunk, row in
      members[chunk.key(row, inverse).number, default: []].append(key)
    }
    return RelatedRows(members: owners.map { members[$0.number] ?? [] }, rows: rows)
  }
}
#endif
