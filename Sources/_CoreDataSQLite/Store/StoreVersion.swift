// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The model version that created a store: its version hashes, and the copy of the model in the file.
///
/// Entities whose hashes cannot be compared are compared by the copy or, without a copy, by their columns.
///
///     let version = try StoreVersion.read(path: "Shop.sqlite")
///     let isCurrent = version.obstacles(toOpeningWith: model).isEmpty
package struct StoreVersion: Sendable {
  /// The store's `NSStoreModelVersionHashes`; empty if the store has none.
  package let hashes: [String: Data]
  /// The copy of the model in the file; nil if there is no copy, or the copy cannot be read.
  package let copy: ModelDefinition?
  /// The draft from which `copy` was created.
  package let copyDraft: ModelDraft?
  private let schema: StoredSchema

  /// - Throws: `StoreError` if the file cannot be read.
  init(_ connection: Connection, path: String) throws {
    hashes = try MetadataTable(connection).read(path: path).metadata.versionHashes
    // The error is dropped, because the hashes and the columns are compared without a readable copy.
    copyDraft = try? StoredModel.cached(connection)
    // `StoredModel.cached` has already checked the copy, so this conversion does not fail.
    copy = try? copyDraft.map(ModelDefinition.init)
    schema = try StoreCatalogue(connection).schema()
  }

  /// Reads the version without changing the file or creating files beside it.
  ///
  /// - Throws: `StoreError.cannotOpen` for a file that is missing or cannot be read; `.corrupt` if the file
  ///   is not a Core Data store.
  package static func read(path: String) throws -> StoreVersion {
    try StoreVersion(StoredModel.connection(path: path), path: path)
  }

  /// Returns the differences that prevent opening the store with `model`, as lines of text; empty if the
  /// store and the model match.
  ///
  /// `entities` are the names of the entities to compare, such as those of a configuration; nil compares all
  /// entities of both sides.
  package func obstacles(
    toOpeningWith model: ModelDefinition,
    entities: Set<String>? = nil
  ) -> [String] {
    guard copy == nil else {
      return ModelDifference.obstacles(
        toOpening: hashes,
        of: copy,
        with: model,
        entities: entities
      )
    }
    let expected = ModelHashes(model: model)
    let columns = columnDifferences(from: model, entities)
    let differing = expected.differing(stored: hashes, entities: entities)
    // Without a copy, only the columns show whether such an entity has changed.
    let unclear = expected.unverifiable.filter { name in
      entities?.contains(name) ?? true && hashes[name] != expected.byEntity[name]
        && !differing.contains { $0.entity == name }
    }
    let lines = differing.flatMap { difference in
      difference.kind == .changed
        ? columns[difference.entity] ?? [difference.description] : [difference.description]
    }
    return lines + unclear.sorted(by: utf8Less).flatMap { columns[$0] ?? [] }
  }

  /// Returns the differences that prevent opening the store with `model` as one text, at most 20 of them; nil if
  /// the store and the model match.
  ///
  /// `entities` are the names of the entities to compare; nil compares all entities of both sides.
  func difference(from model: ModelDefinition, entities: Set<String>?) -> String? {
    let lines = obstacles(toOpeningWith: model, entities: entities)
    if lines.isEmpty { return nil }
    let limit = 20
    let more = lines.count > limit ? "; and \(CellText.count(lines.count - limit)) more" : ""
    return lines.prefix(limit).joined(separator: "; ") + more
  }

  /// Whether the store was created with `model`, or with the part of `model` that contains the store's
  /// entities.
  package func isVersion(_ model: ModelDefinition) -> Bool {
    !hashes.isEmpty && obstacles(toOpeningWith: model, entities: Set(hashes.keys)).isEmpty
  }

  /// The number of entities whose hash in `model` equals the hash in the store.
  package func equalHashes(_ model: ModelDefinition) -> Int {
    ModelHashes(model: model).byEntity.count { hashes[$0.key] == $0.value }
  }

  /// Returns the index of the model that differs least from the store; nil if `models` is empty.
  ///
  /// The fewest differing properties decide, then the most entities with equal hashes, then the later position. An
  /// entity that only one side has differs in all its properties. The hashes do not decide first, because an edit of
  /// one property in many entities changes all their hashes.
  package func nearest(of models: [ModelDefinition]) -> Int? {
    var found: (index: Int, differences: Int, equal: Int)?
    for (index, model) in models.enumerated() {
      let (count, equal) = (differenceCount(model), equalHashes(model))
      if let found, (count, -equal) > (found.differences, -found.equal) { continue }
      found = (index, count, equal)
    }
    return found?.index
  }

  private func differenceCount(_ model: ModelDefinition) -> Int {
    let names = Set(model.entities.map(\.name))
    var count = obstacles(toOpeningWith: model).count
    for entity in model.entities where hashes[entity.name] == nil {
      count += entity.properties.count { $0.declaringEntity == entity.index && $0.isStored }
    }
    let own: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    for name in hashes.keys where !names.contains(name) {
      count += Set(schema.columns["Z\(name.uppercased())"] ?? []).subtracting(own).count
    }
    return count
  }

  /// Returns a line for each column that only the model or only the tables have, grouped by the entity that
  /// declares the property.
  private func columnDifferences(
    from model: ModelDefinition,
    _ entities: Set<String>?
  ) -> [String: [String]] {
    let common = Set(model.entities.map(\.name)).intersection(hashes.keys)
    let names = entities?.intersection(common) ?? common
    // The error is dropped, because a layout that cannot be computed is reported when the store is opened.
    guard let layout = try? Layout(model: model, stored: schema, entities: names) else {
      return [:]
    }
    var lines: [String: [String]] = [:]
    for place in layout.entities {
      let entity = model.entities[place.entity]
      guard common.contains(entity.name), let stored = schema.columns[place.table] else { continue }
      for column in place.columns {
        let property = entity.properties[column.slot]
        guard property.declaringEntity == entity.index else { continue }
        for name in column.names where !stored.contains(name) {
          lines[entity.name, default: []]
            .append("\(entity.name).\(property.name): added (the store has no column \(name))")
        }
      }
    }
    for root in model.entities where root.parent == nil && common.contains(root.name) {
      let table = layout.entities[root.index].table
      let known = layout.columns(of: table)
      for name in schema.columns[table] ?? [] where name.hasPrefix("Z") && !known.contains(name) {
        lines[root.name, default: []]
          .append(
            "\(root.name): the store has a column \(name), which no property of the model uses"
          )
      }
    }
    return lines
  }
}

extension Layout {
  /// The columns of a table: those that properties use, and the bookkeeping columns.
  fileprivate func columns(of table: String) -> Set<String> {
    var names: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    for place in entities {
      if place.table == table {
        for column in place.columns {
          names.formUnion(
            column.names + [column.entityColumn, column.orderColumn].compactMap(\.self)
          )
        }
      }
      for members in place.members.values where members.table == table {
        names.formUnion([members.ownerColumn, members.orderColumn].compactMap(\.self))
      }
    }
    return names
  }
}
