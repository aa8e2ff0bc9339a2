// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Copies of rows in chunks of their own, for somebody on another thread.
struct RowCopies {
  private let model: ModelDefinition
  private var open: [Int: RowChunk] = [:]
  private(set) var rows = FetchedRows()

  init(_ model: ModelDefinition) { self.model = model }

  mutating func add(_ key: ObjectKey, _ source: RowChunk, _ row: Int) {
    let chunk = chunk(key.entity)
    let copy = chunk.appendCopy(of: source, row: row)
    rows.keys.append(key)
    if let last = rows.runs.last, last.chunk === chunk, last.first + last.count == copy {
      rows.runs[rows.runs.count - 1].count += 1
    } else {
      rows.runs.append(FetchedRows.Run(chunk: chunk, first: copy, count: 1))
    }
  }

  private mutating func chunk(_ entity: Int) -> RowChunk {
    if let known = open[entity], !known.isFull { return known }
    let capacity = min(512, (open[entity]?.capacity ?? 2) * 4)
    let made = RowChunk(layout: model.entities[entity].rowLayout, capacity: capacity)
    open[entity] = made
    return made
  }
}

/// What a parent's graph answers its children.
extension ObjectGraph {
  /// Copies of the objects' current rows; objects without a row are left out.
  package func copyRows(of objects: [GraphObject]) -> FetchedRows {
    var copies = RowCopies(model)
    for object in objects {
      if let chunk = object.chunk { copies.add(object.key, chunk, object.rowIndex) }
    }
    return copies.rows
  }

  /// The rows of `keys` as they are here, unsaved changes included; deleted objects have none.
  ///
  /// - Complexity: one load for all that are not at hand.
  package func currentRows(for keys: [ObjectKey]) throws -> FetchedRows {
    var copies = RowCopies(model)
    var missing: [Int: [ObjectKey]] = [:]
    for key in keys {
      let key = permanentKeys[key] ?? key
      guard let object = registry.object(for: key) else {
        missing[key.store, default: []].append(key)
        continue
      }
      if object.flags.contains(.deleted) { continue }
      if let chunk = object.chunk {
        copies.add(object.key, chunk, object.rowIndex)
      } else {
        missing[key.store, default: []].append(key)
      }
    }
    for (_, group) in missing.sorted(by: { $0.key < $1.key }) {
      try host.loadRows(group).forEach { key, chunk, row in copies.add(key, chunk, row) }
    }
    return copies.rows
  }

  /// The members of a to-many of each owner, and their rows, as they are here.
  ///
  /// - Complexity: as `prefetch(_:of:)`.
  package func currentRelated(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    let owners = owners.map { object(for: permanentKeys[$0] ?? $0) }
    var held: [GraphObject] = []
    if let name = owners.first?.entityDefinition.properties[slot].name {
      held = try load([[name]], of: owners)
    }
    return try withExtendedLifetime(held) {
      let members = owners.map { currentMembers(of: $0.key, slot: slot) }
      var seen: Set<ObjectKey> = []
      let keys = members.joined().filter { seen.insert($0).inserted }
      return RelatedRows(members: members, rows: try currentRows(for: keys))
    }
  }

  /// The members of a to-many as they are here; deleted objects are left out.
  package func currentMembers(of owner: ObjectKey, slot: Int) -> [ObjectKey] {
    let object = object(for: owner)
    if object.flags.contains(.deleted) { return [] }
    return memberKeys(object, slot: slot).filter { key in
      registry.object(for: key)?.flags.contains(.deleted) != true
    }
  }
}
