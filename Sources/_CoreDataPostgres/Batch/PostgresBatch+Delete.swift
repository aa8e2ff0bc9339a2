// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension PostgresBatch {
  /// Deletes the rows of a request, and applies their delete rules.
  ///
  /// - Throws: `StoreError.denied` with the name of the relationship if the rule Deny prevents a deletion.
  mutating func delete(_ delete: BatchDelete) throws {
    let requested = try requestedKeys(delete)
    let rows = DeletedRows(try collect(requested), model)
    outcome.count = requested.count
    if delete.report.contains(.keys) { outcome.keys = requested }
    let reports = history != nil || delete.report.contains(.changes)
    if reports { outcome.deleted = rows.keys }
    let recordsHistory = history != nil
    let keeping = rows.keys.filter {
      recordsHistory && !PostgresHistoryWriter.keptSlots(model.entities[$0.entity]).isEmpty
    }
    let kept = try reads.rows(for: keeping)
    history?.deletions(rows.keys, kept: kept)
    var changed: [ObjectKey: SlotSet] = [:]
    for (entity, keys) in rows.byEntity {
      for property in entity.properties where property.relationship != nil {
        if property.isTransient { continue }
        try release(property, of: entity, keys: keys, rows, reports: reports, &changed)
      }
    }
    for (root, numbers) in rows.byRoot {
      try run(
        "DELETE FROM \(layout.entities[root].table) WHERE z_pk = ANY($1)",
        keys: numbers
      )
    }
    if !reports { return }
    outcome.updated = changed.keys.sorted { $0.raw < $1.raw }
    for key in outcome.updated { history?.update(key, changed[key] ?? SlotSet()) }
  }

  /// Returns the keys of the rows that the request names and that exist.
  private func requestedKeys(_ delete: BatchDelete) throws -> [ObjectKey] {
    guard let named = delete.keys else { return try keys(delete.rows) }
    let root = model.entities[delete.rows.entity].root
    let numbers = Set(
      named.filter {
        !$0.isTemporary && $0.store == store.index && model.entities[$0.entity].root == root
      }.map(\.number)
    )
    var found: [ObjectKey] = []
    let text = "SELECT z_pk, z_ent FROM \(layout.entities[root].table) WHERE z_pk = ANY($1)"
    try run(text, keys: numbers.sorted()) { found += try keys($0) }
    let entity = model.entities[delete.rows.entity]
    return found.filter {
      delete.rows.includesSubentities
        ? entity.family.contains($0.entity) : $0.entity == entity.index
    }
  }

  // MARK: Rules

  /// Returns the rows of the request and those to which deletions cascade, level by level.
  private func collect(_ requested: [ObjectKey]) throws -> [ObjectKey] {
    var all = requested
    var seen = Set(requested.map { place(of: $0) })
    var level = requested
    while !level.isEmpty {
      var next: [ObjectKey] = []
      for (index, keys) in Dictionary(grouping: level, by: \.entity).sorted(by: { $0.key < $1.key })
      {
        let entity = model.entities[index]
        for property in entity.properties
        where property.relationship?.deleteRule == .cascade && !property.isTransient {
          for key in try destinations(of: property, keys) where seen.insert(place(of: key)).inserted
          {
            next.append(key)
          }
        }
      }
      all += next
      level = next
    }
    try checkDenials(all, seen)
    return all
  }

  /// The key with the root entity, which is the same for every entity of the hierarchy.
  private func place(of key: ObjectKey) -> ObjectKey {
    key.with(entity: model.entities[key.entity].root)
  }

  private func checkDenials(_ all: [ObjectKey], _ deleted: Set<ObjectKey>) throws {
    for (index, keys) in Dictionary(grouping: all, by: \.entity).sorted(by: { $0.key < $1.key }) {
      let entity = model.entities[index]
      for property in entity.properties
      where property.relationship?.deleteRule == .deny && !property.isTransient {
        for key in try destinations(of: property, keys) where !deleted.contains(place(of: key)) {
          throw StoreError(
            .denied,
            "the relationship \(model.entities[property.declaringEntity].name).\(property.name) has the delete "
              + "rule Deny, and an object to be deleted has destinations in this relationship that the "
              + "request does not delete; delete these destinations too, or remove them from the "
              + "relationship first",
            path: store.path,
            keys: [key]
          )
        }
      }
    }
  }

  /// Returns the existing destinations of a relationship of some rows, each once.
  private func destinations(
    of property: PropertyDefinition,
    _ owners: [ObjectKey]
  ) throws -> [ObjectKey] {
    if property.isToMany {
      var seen: Set<ObjectKey> = []
      return try reads.members(of: owners, slot: property.slot).joined()
        .filter { seen.insert($0).inserted }
    }
    guard let owner = owners.first, let relationship = property.relationship,
      let column = layout.entities[owner.entity].column(property.slot)
    else { return [] }
    let destination = layout.entities[relationship.destination]
    var found: [ObjectKey] = []
    try run(
      "SELECT z_pk, z_ent FROM \(destination.table) WHERE z_pk IN (SELECT \(column.name) FROM "
        + "\(layout.entities[owner.entity].table) WHERE z_pk = ANY($1))",
      keys: owners.map(\.number)
    ) { found += try keys($0) }
    return found
  }

  /// Removes the references to deleted rows that are in rows of the destination, and finds the objects that
  /// change.
  private func release(
    _ property: PropertyDefinition,
    of entity: EntityDefinition,
    keys: [ObjectKey],
    _ rows: DeletedRows,
    reports: Bool,
    _ changed: inout [ObjectKey: SlotSet]
  ) throws {
    guard let relationship = property.relationship else { return }
    let inverse = relationship.inverse
    func note(_ keys: [ObjectKey]) {
      for key in keys where !rows.contains(key) {
        changed[key, default: SlotSet()].formUnion(SlotSet(inverse.map { [$0] } ?? []))
      }
    }
    guard let release = store.statements.release(property, of: entity) else {
      // The references are in the deleted rows, or in pairs that are deleted with these rows.
      if reports, inverse != nil { note(try destinations(of: property, keys)) }
      return
    }
    try run(release, keys: keys.map(\.number)) { note(try self.keys($0)) }
  }
}

/// The rows that a batch request deletes.
struct DeletedRows {
  let keys: [ObjectKey]
  let byEntity: [(EntityDefinition, [ObjectKey])]
  let byRoot: [(Int, [Int64])]
  private let places: Set<ObjectKey>
  private let model: ModelDefinition

  init(_ keys: [ObjectKey], _ model: ModelDefinition) {
    self.keys = keys
    self.model = model
    byEntity = Dictionary(grouping: keys, by: \.entity).sorted { $0.key < $1.key }
      .map { (model.entities[$0.key], $0.value) }
    byRoot = Dictionary(grouping: keys) { model.entities[$0.entity].root }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value.map(\.number)) }
    places = Set(keys.map { $0.with(entity: model.entities[$0.entity].root) })
  }

  func contains(_ key: ObjectKey) -> Bool {
    places.contains(key.with(entity: model.entities[key.entity].root))
  }
}
#endif
