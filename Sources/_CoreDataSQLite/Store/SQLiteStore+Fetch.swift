// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension SQLiteStore {
  package func fetch(_ description: FetchDescription) throws -> FetchResult {
    try StatementTracer.timing(options.log, { try runFetch(description) }, rows: \.size)
  }

  private func runFetch(_ description: FetchDescription) throws -> FetchResult {
    let plan = try planner.plan(description)
    return try pool.read { connection in
      try connection.controlled(by: description.control) {
        let statement = try connection.statement(plan.statement)
        return try result(of: plan, statement, connection, description.control)
      }
    }
  }

  private func result(
    of plan: FetchPlan,
    _ statement: PreparedStatement,
    _ connection: Connection,
    _ control: FetchControl?
  ) throws -> FetchResult {
    switch plan.reading {
    case .count: return .count(Int(try statement.integer() ?? 0))
    case .keys(let source):
      let keys = try statement.keys(source, with: reader, control: control)
      if keys.count > Self.scanSize { connection.releaseCache() }
      return .keys(keys)
    case .rows(let source):
      var rows = FetchedRows()
      try statement.read(source, with: reader, control: control, into: &rows)
      if rows.keys.count > Self.scanSize { connection.releaseCache() }
      return .rows(plan.sorter?.sorted(rows) ?? rows)
    case .dictionaries(let columns):
      let rows = try DictionaryReader(store: self, columns: columns).read(statement)
      control?.reportRows(rows.count)
      return .dictionaries(rows)
    }
  }

  package func divided(_ description: FetchDescription) throws -> DividedFetch {
    try planner.divided(description)
  }

  /// The number of rows above which a fetch is assumed to have replaced all pages in the page cache.
  ///
  /// After such a fetch the memory of the page cache is released, because it is more useful for objects.
  private static let scanSize = 10_000

  /// Returns the key with the primary key `number` and the entity index `entity`.
  ///
  /// - Throws: `StoreError.corrupt` if `ObjectKey` cannot represent the primary key.
  func key(_ entity: Int, _ number: Int64) throws -> ObjectKey {
    if let key = ObjectKey(store: index, entity: entity, number: number) { return key }
    throw reader.damaged(
      "a row of entity \(model.entities[entity].name), or a reference to such a row, has the invalid primary "
        + "key \(number)"
    )
  }

  /// Returns the key with the primary key `number` and the entity whose entity number is `entityNumber`.
  ///
  /// - Throws: `StoreError.corrupt` if no entity of the model has this entity number, or if `ObjectKey`
  ///   cannot represent the primary key.
  func key(entityNumber: Int64, _ number: Int64) throws -> ObjectKey {
    guard let entity = layout.entityByNumber[entityNumber] else {
      throw reader.damaged(
        "a row has the entity number \(entityNumber) (Z_ENT), which belongs to no entity of the model"
      )
    }
    return try key(entity, number)
  }

  /// Returns the key of a new row, with the primary key `number` and the entity index `entity`.
  ///
  /// - Throws: `StoreError.corrupt` if `ObjectKey` cannot represent the primary key, because `Z_MAX` in the
  ///   file is too high.
  func newKey(_ entity: Int, _ number: Int64) throws -> ObjectKey {
    if let key = ObjectKey(store: index, entity: entity, number: number) { return key }
    let root = model.entities[model.entities[entity].root].name
    throw StoreError(
      .corrupt,
      "no primary key is left for new objects of entity \(model.entities[entity].name), because the greatest "
        + "possible primary key is \(ObjectKey.maximumNumber); run `coredata doctor` to find a wrong Z_MAX "
        + "of \(root) in Z_PRIMARYKEY, or rows with invalid primary keys",
      path: options.path
    )
  }

  /// The maximum number of keys in the list that one statement binds.
  private static let blockSize = 20_000

  package func rows(for keys: [ObjectKey]) throws -> FetchedRows {
    var rows = FetchedRows()
    if keys.count == 1 {
      if let loaded = try row(for: keys[0], into: nil) {
        rows.append(loaded.key, loaded.chunk, loaded.row)
      }
      return rows
    }
    var byRoot: [Int: [Int64]] = [:]
    for key in keys where !key.isTemporary {
      byRoot[model.entities[key.entity].root, default: []].append(key.number)
    }
    try pool.read(.lookUp) { connection in
      for (root, numbers) in byRoot.sorted(by: { $0.key < $1.key }) {
        for part in KeyNumbers.parts(of: numbers, listLength: Self.blockSize) {
          let query = statements.rows(root: root, part.form)
          let statement = try connection.statement(query.statement)
          try statement.bind(part)
          let source = planner.sources[root]
          try statement.read(source, with: reader, expected: part.count, into: &rows)
        }
      }
    }
    return rows
  }

  package func row(for key: ObjectKey, into open: RowChunk?) throws -> LoadedRow? {
    if key.isTemporary { return nil }
    let root = model.entities[key.entity].root
    return try pool.read(.lookUp) { connection in
      let statement = try connection.rowStatement(root, in: statements.oneRow)
      try statement.bind(key.number, at: 1)
      return try statement.readOne(
        planner.sources[root],
        with: reader,
        entity: key.entity,
        into: open
      )
    }
  }

  package func memberRows(of owner: ObjectKey, slot: Int) throws -> FetchedRows? {
    guard let query = statements.memberRows[owner.entity][slot] else { return nil }
    return try pool.read(.lookUp) { connection in
      var rows = FetchedRows()
      let statement = try connection.statement(query.statement)
      try statement.bind(owner.number, at: 1)
      try statement.read(planner.sources[query.entity], with: reader, into: &rows)
      return rows
    }
  }

  package func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    guard let first = owners.first else { return [] }
    // A transient relationship has no pairs in the file; its members exist only in objects.
    if model.entities[first.entity].properties[slot].isTransient {
      return Array(repeating: [], count: owners.count)
    }
    let numbers = owners.map(\.number)
    let parts = KeyNumbers.parts(of: numbers)
    let places = KeyPlaces(of: numbers, in: parts)
    var members = [[ObjectKey]](repeating: [], count: owners.count)
    try pool.read(.lookUp) { connection in
      for part in parts {
        let query = try planner.pairs(entity: first.entity, slot: slot, of: part.form)
        let statement = try connection.statement(query.statement)
        try statement.bind(part)
        try statement.forEach { row in
          guard let place = places[sqlite3_column_int64(row, 0)] else { return }
          let number = sqlite3_column_int64(row, 1)
          members[place].append(
            query.hasEntityColumn
              ? try key(entityNumber: sqlite3_column_int64(row, 2), number)
              : try key(query.destination, number)
          )
        }
      }
    }
    repeatMembers(&members, of: numbers, places)
    return members
  }
}

extension SQLiteStore {
  /// Reads the members and their rows with one statement if the members' rows contain a to-one inverse;
  /// otherwise reads the keys of the members first.
  package func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    let numbers = owners.map(\.number)
    let parts = KeyNumbers.parts(of: numbers)
    guard let first = owners.first,
      let inverse = model.entities[first.entity].properties[slot].relationship?.inverse,
      let queries = memberQueries(of: first.entity, slot, parts)
    else { return try relatedByMembers(to: owners, slot: slot) }
    var rows = FetchedRows()
    try pool.read { connection in
      for (query, part) in zip(queries, parts) {
        let statement = try connection.statement(query.statement)
        try statement.bind(part)
        try statement.read(planner.sources[query.entity], with: reader, into: &rows)
      }
    }
    var members = [[ObjectKey]](repeating: [], count: owners.count)
    let places = KeyPlaces(of: numbers, in: parts)
    // The members of one owner are usually consecutive, so the owner's place is looked up only when the owner
    // changes.
    var (owner, place): (Int64, Int?) = (-1, nil)
    rows.forEach { key, chunk, row in
      let number = chunk.key(row, inverse).number
      if number != owner { (owner, place) = (number, places[number]) }
      if let place { members[place].append(key) }
    }
    repeatMembers(&members, of: numbers, places)
    return RelatedRows(members: members, rows: rows)
  }

  /// Returns a query for the member rows of each part of the owners; nil if the relationship has a join
  /// table.
  private func memberQueries(of entity: Int, _ slot: Int, _ parts: [KeyNumbers]) -> [RowQuery]? {
    let queries = parts.compactMap { planner.memberRows(entity: entity, slot: slot, of: $0.form) }
    return queries.count == parts.count ? queries : nil
  }

  /// Copies the members of each owner that is listed more than once to all positions of the owner.
  ///
  /// `places` contains the last position of each owner; `members` already contains the owner's members there.
  private func repeatMembers(
    _ members: inout [[ObjectKey]],
    of owners: [Int64],
    _ places: KeyPlaces
  ) {
    if places.areUnique { return }
    for (place, owner) in owners.enumerated() {
      if let last = places[owner], last != place { members[place] = members[last] }
    }
  }
}

extension FetchResult {
  /// The number of results; 1 for a count.
  fileprivate var size: Int {
    switch self {
    case .rows(let rows): rows.keys.count
    case .keys(let keys): keys.count
    case .dictionaries(let rows): rows.count
    case .count: 1
    }
  }
}
