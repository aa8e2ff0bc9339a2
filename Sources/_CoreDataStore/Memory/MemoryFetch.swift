// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Executes one fetch on a snapshot: filters the rows by the condition, sorts them, applies limit and offset,
/// and returns them in the requested form.
struct MemoryFetch {
  let snapshot: MemorySnapshot
  let description: FetchDescription
  let entity: EntityDefinition

  private var state: MemoryState { snapshot.state }

  /// Creates the fetch after checking its entity and key paths.
  ///
  /// - Throws: `.invalidRequest` for an entity that the model does not have; errors of `KeyPathCheck`.
  init(_ snapshot: MemorySnapshot, _ description: FetchDescription) throws {
    guard snapshot.schema.model.entities.indices.contains(description.entity) else {
      throw StoreError(
        .invalidRequest,
        "the model of the in-memory store has no entity with index \(description.entity)"
      )
    }
    self.snapshot = snapshot
    self.description = description
    entity = snapshot.schema.model.entities[description.entity]
    try KeyPathCheck(model: snapshot.schema.model, entity: entity).check(description)
  }

  func result() throws -> FetchResult {
    do {
      return try shaped(matches())
    } catch let error as EvaluationError {
      throw StoreError(.invalidRequest, error.message)
    } catch let error as UnknownKey {
      let model = snapshot.schema.model
      if let owner = model.entities.first(where: { $0.name == error.owner }) {
        throw StoreError.unknownKeyPath(error.key, in: owner, named: owner.name, of: model)
      }
      throw StoreError(
        .invalidRequest,
        "the request reads the key \(error.key) of \(error.owner), which has no such key; correct the key "
          + "path of the predicate, expression or sort descriptor"
      )
    }
  }

  private func shaped(_ numbers: [Int64]) throws -> FetchResult {
    switch description.shape {
    case .count: return .count(limited(numbers).count)
    case .keys:
      return .keys(limited(try ordered(numbers)).compactMap { state.key(entity.root, $0) })
    case .rows:
      var copier = MemoryRows(state)
      for number in limited(try ordered(numbers)) { copier.add(entity.root, number) }
      return .rows(copier.rows)
    case .dictionaries(let shape):
      let objects = try ordered(numbers, besides: Set(shape.columns.map(\.name)))
        .compactMap { snapshot.object(entity.root, $0) }
      let rows = try MemoryDictionaries(shape: shape, order: description.order).rows(objects)
      return .dictionaries(limited(rows))
    }
  }

  private func limited<Element>(_ elements: [Element]) -> [Element] {
    FetchWindow(description).cut(elements)
  }

  /// Returns the primary keys of the rows that meet the condition, in ascending order.
  private func matches() throws -> [Int64] {
    let entities =
      description.includesSubentities
      ? Int32(entity.family.lowerBound)..<Int32(entity.family.upperBound)
      : Int32(entity.index)..<Int32(entity.index + 1)
    let condition = description.condition.map(PreparedCondition.init)
    var numbers: [Int64] = []
    try state.tables[entity.root].locations.forEach { number, location in
      if !entities.contains(location.entity) { return }
      if number & 0x3FF == 0 { try description.control?.check() }
      if let condition {
        let object = MemoryObject(
          snapshot,
          root: entity.root,
          number: number,
          location: location
        )
        if try !condition.holds(for: .object(object)) { return }
      }
      numbers.append(number)
    }
    description.control?.reportRows(numbers.count)
    return numbers
  }

  /// Returns `numbers` sorted by the fetch's sort keys, ignoring the sort keys whose key path is in `names`.
  ///
  /// `names` contains the column names of a dictionary result; the caller sorts by columns after it has
  /// computed them.
  private func ordered(_ numbers: [Int64], besides names: Set<String> = []) throws -> [Int64] {
    let order = SortOrder(description.order.filter { !names.contains($0.keyPath) })
    return try order.sorted(numbers) { number in
      snapshot.object(entity.root, number).map { .object($0) } ?? .null
    }
  }
}

/// A builder of `FetchedRows`, which copies rows from a state into new chunks.
struct MemoryRows {
  private let state: MemoryState
  /// Entity → the chunk into which its next row is copied.
  private var open: [Int32: RowChunk] = [:]
  private(set) var rows = FetchedRows()

  init(_ state: MemoryState) { self.state = state }

  mutating func add(_ root: Int, _ number: Int64) {
    guard let location = state.location(root, number), let key = state.key(root, number) else {
      return
    }
    let source = state.chunk(root, location)
    let chunk = chunk(for: location.entity, like: source)
    rows.append(key, chunk, chunk.appendCopy(of: source, row: Int(location.row)))
  }

  private mutating func chunk(for entity: Int32, like source: RowChunk) -> RowChunk {
    if let chunk = open[entity], !chunk.isFull { return chunk }
    // The first chunk of an entity is small, because most requests read only a few rows.
    let chunk = RowChunk(layout: source.layout, capacity: open[entity] == nil ? 16 : 512)
    open[entity] = chunk
    return chunk
  }
}
