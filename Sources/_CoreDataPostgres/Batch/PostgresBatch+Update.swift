// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

extension PostgresBatch {
  /// Changes the rows that meet the condition.
  ///
  /// Values are written with one statement for each block of rows, results of expressions with one for each
  /// row, in a pipeline.
  /// - Throws: `StoreError.inexpressible` for a condition or expression that SQL cannot express.
  mutating func update(_ update: BatchUpdate) throws {
    let entity = model.entities[update.entity]
    let (chunk, row) = RowChunk.single(entity.rowLayout)
    var terms: [(slot: Int, term: Term)] = []
    for (slot, assigned) in update.assignments {
      try requireSettable(entity.properties[slot], of: entity)
      switch assigned {
      case .value(let value): try set(value, slot, of: entity, in: chunk, row)
      case .term(let term): terms.append((slot, term))
      }
    }
    var description = FetchDescription(entity: update.entity)
    description.includesSubentities = update.includesSubentities
    description.condition = update.condition
    let slots = SlotSet(update.assignments.map(\.slot))
    let keys: [ObjectKey]
    var owners: [ObjectKey: SlotSet] = [:]
    if terms.isEmpty {
      keys = try self.keys(description)
      try recordOwners(of: keys, update, entity, &owners)
      try write(chunk, row, slots, of: entity, to: keys)
    } else {
      let computed = try values(of: terms.map(\.term), description)
      keys = computed.map(\.key)
      try recordOwners(of: keys, update, entity, &owners)
      try write(computed, terms.map(\.slot), beside: (chunk, row), slots, of: entity)
    }
    report(keys, owners: owners, slots, update.report)
  }

  private mutating func report(
    _ keys: [ObjectKey],
    owners: [ObjectKey: SlotSet],
    _ slots: SlotSet,
    _ report: BatchReport
  ) {
    outcome.count = keys.count
    if report.contains(.keys) { outcome.keys = keys }
    if report.contains(.changes) || history != nil { outcome.updated = Array(owners.keys) + keys }
    for key in keys where owners[key] == nil { history?.update(key, slots) }
    let changed = Set(keys)
    for (owner, toManys) in owners.sorted(by: { $0.key.raw < $1.key.raw }) {
      history?.update(owner, changed.contains(owner) ? slots : SlotSet(), toManys: toManys)
    }
  }

  // MARK: Values

  /// - Throws: `StoreError.invalidRequest` for a property without a column of its own, and for a one-to-one
  ///   relationship.
  private func requireSettable(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) throws {
    let remedy = "Set it on the objects instead, and save the context"
    guard layout.entities[entity.index].column(property.slot) != nil else {
      throw StoreError(
        .invalidRequest,
        "\(entity.name).\(property.name) cannot be set by a batch update: it is not a stored attribute or "
          + "to-one relationship. \(remedy)",
        path: store.path
      )
    }
    if let relationship = property.relationship, let inverse = relationship.inverse,
      model.entities[relationship.destination].properties[inverse].isToOne
    {
      throw StoreError(
        .invalidRequest,
        "\(entity.name).\(property.name) cannot be set by a batch update: its inverse is a to-one "
          + "relationship, which the batch update would not change. \(remedy)",
        path: store.path
      )
    }
  }

  private func set(
    _ value: Value,
    _ slot: Int,
    of entity: EntityDefinition,
    in chunk: RowChunk,
    _ row: Int
  ) throws {
    let property = entity.properties[slot]
    if case .key(let key) = value {
      let destination = property.relationship.map { model.entities[$0.destination] }
      if key.isTemporary || key.store != store.index
        || destination?.family.contains(key.entity) != true
      {
        throw refusal(
          property,
          of: entity,
          "to this object; the object must be saved, in the same store, and of the destination entity"
        )
      }
    }
    if chunk.setValue(row, slot, value) { return }
    throw refusal(property, of: entity, "to \(value.kindName)")
  }

  private func refusal(
    _ property: PropertyDefinition,
    of entity: EntityDefinition,
    _ what: String
  ) -> StoreError {
    StoreError(
      .invalidRequest,
      "the batch update cannot set \(entity.name).\(property.name) \(what)",
      path: store.path
    )
  }

  /// Returns the values of expressions for each row that a fetch matches.
  private func values(
    of terms: [Term],
    _ description: FetchDescription
  ) throws -> [(key: ObjectKey, values: [Value])] {
    var description = description
    let columns = [DictionaryShape.Column(name: "self", term: .evaluatedObject)]
    description.shape = .dictionaries(
      DictionaryShape(
        columns: columns
          + terms.enumerated().map { DictionaryShape.Column(name: "value\($0)", term: $1) }
      )
    )
    guard case .dictionaries(let rows) = try reads.fetch(description) else { return [] }
    return rows.compactMap { row in
      guard case .key(let key)? = row.first else { return nil }
      return (key, Array(row.dropFirst()))
    }
  }

  // MARK: Writing

  private func write(
    _ chunk: RowChunk,
    _ row: Int,
    _ slots: SlotSet,
    of entity: EntityDefinition,
    to keys: [ObjectKey]
  ) throws {
    guard let first = keys.first else { return }
    let statement = store.statements.updateMany(entity.index, slots: slots)
    var values = PostgresFields()
    let encoder = PostgresRowEncoder(layout: layout, path: store.path)
    try encoder.append(statement.steps, of: chunk, row, key: first, to: &values)
    try run(statement.text, values, keys: keys.map(\.number))
  }

  private func write(
    _ computed: [(key: ObjectKey, values: [Value])],
    _ computedSlots: [Int],
    beside constant: ChunkRow,
    _ slots: SlotSet,
    of entity: EntityDefinition
  ) throws {
    let statement = store.statements.update(entity.index, slots: slots, checksVersion: false)
    let encoder = PostgresRowEncoder(layout: layout, path: store.path)
    var fields = PostgresFields()
    try connection.pipelined { pipeline in
      for (key, values) in computed {
        let chunk = RowChunk(layout: entity.rowLayout, capacity: 1)
        let row = chunk.appendCopy(of: constant.chunk, row: constant.row)
        for (slot, value) in zip(computedSlots, values) {
          try set(value, slot, of: entity, in: chunk, row)
        }
        fields.removeAll()
        try encoder.append(statement.steps, of: chunk, row, key: key, to: &fields)
        fields.append(key.number)
        try pipeline.send(statement.text, fields, failingFor: [key])
      }
    }
  }

  // MARK: Owners

  /// Finds the objects whose to-manys gain or lose members; must run before the rows are changed.
  private func recordOwners(
    of keys: [ObjectKey],
    _ update: BatchUpdate,
    _ entity: EntityDefinition,
    _ owners: inout [ObjectKey: SlotSet]
  ) throws {
    if history == nil, !update.report.contains(.changes) { return }
    let toOnes = update.assignments.filter {
      entity.properties[$0.slot].relationship?.inverse != nil
    }
    if toOnes.isEmpty { return }
    let former = try reads.rows(for: keys)
    for (slot, assigned) in toOnes {
      guard let inverse = entity.properties[slot].relationship?.inverse else { continue }
      former.forEach { _, chunk, row in
        if chunk.isNull(row, slot) { return }
        owners[chunk.key(row, slot), default: SlotSet()].insert(inverse)
      }
      if case .value(.key(let key)) = assigned, !keys.isEmpty {
        owners[key, default: SlotSet()].insert(inverse)
      }
    }
  }
}
#endif
