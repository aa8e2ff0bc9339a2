// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// What a store did otherwise than every store must: the check, and both sides.
package struct ConformanceFailure: Error, CustomStringConvertible {
  package let description: String
}

/// One store under check, and words to write and read it with.
struct ConformanceWorld {
  let model: ModelDefinition
  let store: any RowStore

  func entity(_ name: String) throws -> EntityDefinition {
    guard let entity = model.entity(named: name) else {
      throw ConformanceFailure(description: "the model has no \(name)")
    }
    return entity
  }

  func slot(_ entity: String, _ property: String) throws -> Int {
    guard let slot = try self.entity(entity).slotByName[property] else {
      throw ConformanceFailure(description: "\(entity) has no \(property)")
    }
    return slot
  }

  // MARK: Writing

  /// A row of its own with these values.
  func row(_ name: String, _ values: [String: Value]) throws -> (chunk: RowChunk, row: Int) {
    let chunk = RowChunk(layout: try entity(name).rowLayout, capacity: 1)
    let row = chunk.appendRow()
    for (property, value) in values {
      if !chunk.setValue(row, try slot(name, property), value) {
        throw ConformanceFailure(description: "\(name).\(property) cannot be \(value)")
      }
    }
    return (chunk, row)
  }

  func insert(
    _ name: String,
    _ values: [String: Value],
    key: ObjectKey
  ) throws -> SaveBatch.Insert {
    let place = try row(name, values)
    return SaveBatch.Insert(key: key, chunk: place.chunk, row: place.row)
  }

  func temporary(_ name: String, _ number: Int64) throws -> ObjectKey {
    .temporary(entity: try entity(name).index, number: number)
  }

  /// Saves new rows of one entity and gives their keys.
  @discardableResult
  func insert(_ name: String, _ rows: [[String: Value]]) throws -> [ObjectKey] {
    var batch = SaveBatch()
    for (number, values) in rows.enumerated() {
      batch.inserts.append(
        try insert(name, values, key: try temporary(name, Int64(number + 1)))
      )
    }
    return try store.save(batch).insertedKeys
  }

  func update(
    _ key: ObjectKey,
    _ values: [String: Value],
    version: Int64?
  ) throws -> SaveBatch.Update {
    let entity = model.entities[key.entity]
    let place = try row(entity.name, values)
    let slots = SlotSet(values.keys.compactMap { entity.slotByName[$0] })
    return SaveBatch.Update(
      key: key,
      chunk: place.chunk,
      row: place.row,
      slots: slots,
      expectedVersion: version
    )
  }

  func save(_ change: (inout SaveBatch) throws -> Void) throws {
    var batch = SaveBatch()
    try change(&batch)
    _ = try store.save(batch)
  }

  // MARK: Reading

  func request(
    _ name: String,
    _ condition: Condition? = nil,
    order: [SortKey] = []
  ) throws -> FetchDescription {
    var request = FetchDescription(entity: try entity(name).index)
    request.condition = condition
    request.order = order
    return request
  }

  func keys(_ request: FetchDescription) throws -> [ObjectKey] {
    var request = request
    request.shape = .keys
    guard case .keys(let keys) = try store.fetch(request) else {
      throw ConformanceFailure(description: "a fetch of keys gave something else")
    }
    return keys
  }

  func count(_ request: FetchDescription) throws -> Int {
    var request = request
    request.shape = .count
    guard case .count(let count) = try store.fetch(request) else {
      throw ConformanceFailure(description: "a fetch of a count gave something else")
    }
    return count
  }

  func rows(_ request: FetchDescription) throws -> FetchedRows {
    guard case .rows(let rows) = try store.fetch(request) else {
      throw ConformanceFailure(description: "a fetch of rows gave something else")
    }
    return rows
  }

  func dictionaries(_ request: FetchDescription, _ shape: DictionaryShape) throws -> [[Constant]] {
    var request = request
    request.shape = .dictionaries(shape)
    guard case .dictionaries(let rows) = try store.fetch(request) else {
      throw ConformanceFailure(description: "a fetch of dictionaries gave something else")
    }
    return rows.map { $0.map(Constant.init) }
  }

  /// The values of one property, in the fetch's order.
  func values(_ property: String, _ request: FetchDescription) throws -> [Constant] {
    try values(property, rows(request))
  }

  func values(_ property: String, _ rows: FetchedRows) throws -> [Constant] {
    var values: [Constant] = []
    if rows.runs.reduce(0, { $0 + $1.count }) != rows.keys.count {
      throw ConformanceFailure(description: "there are not as many rows as keys")
    }
    try rows.forEach { key, chunk, row in
      guard let slot = model.entities[key.entity].slotByName[property] else {
        throw ConformanceFailure(description: "\(key) has no \(property)")
      }
      values.append(Constant(chunk.value(row, slot)))
    }
    return values
  }

  func value(_ key: ObjectKey, _ property: String) throws -> Constant? {
    try values(property, store.rows(for: [key])).first
  }

  func version(_ key: ObjectKey) throws -> Int64? {
    try store.rows(for: [key]).runs.first.map { $0.chunk.version($0.first) }
  }

  func members(_ owner: ObjectKey, _ property: String) throws -> [ObjectKey] {
    let slot = try slot(model.entities[owner.entity].name, property)
    return try store.members(of: [owner], slot: slot).first ?? []
  }

  /// The names of the rows that meet the condition, sorted.
  func names(_ entity: String, _ condition: Condition) throws -> [String] {
    try values("name", request(entity, condition, order: [SortKey("name")])).compactMap {
      if case .text(let text) = $0.value { text } else { nil }
    }
  }
}

/// - Throws: `ConformanceFailure` with both sides where they differ.
func expect<Item: Equatable>(
  _ found: Item,
  _ wanted: Item,
  _ what: String,
  line: Int = #line
) throws {
  if found != wanted {
    throw ConformanceFailure(description: "line \(line), \(what): found \(found), wanted \(wanted)")
  }
}

/// - Throws: `ConformanceFailure` where `body` does not throw a store error of that code.
@discardableResult
func expectError(
  _ code: StoreError.Code,
  _ what: String,
  line: Int = #line,
  _ body: () throws -> Void
) throws -> StoreError {
  do {
    try body()
  } catch let error as StoreError {
    try expect(error.code, code, "\(what) (\(error))", line: line)
    return error
  }
  throw ConformanceFailure(
    description: "line \(line), \(what): nothing was thrown, wanted \(code.rawValue)"
  )
}

extension Comparison {
  static func of(
    _ keyPath: String,
    _ relation: Relation,
    _ value: Value,
    modifier: Modifier = .direct,
    options: TextOptions = []
  ) -> Condition {
    .comparison(
      Comparison(
        .keyPath(keyPath),
        relation,
        .constant(Constant(value)),
        modifier: modifier,
        options: options
      )
    )
  }
}
