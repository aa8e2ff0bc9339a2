// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The model version that created a file: the version hashes and, for entities whose hashes cannot be
/// compared, the file's copy of its model and its columns.
///
///     let version = try StoreVersion.read(path: "Shop.sqlite")
///     let isCurrent = version.obstacles(toOpeningWith: model).isEmpty
package struct StoreVersion: Sendable {
  /// The store's `NSStoreModelVersionHashes`; empty if the store has none.
  package let hashes: [String: Data]
  /// The model in the file's cache; nil if the file has no copy, or none that can be read.
  package let copy: ModelDefinition?
  /// The draft of `copy`.
  package let copyDraft: ModelDraft?
  private let schema: StoredSchema

  /// - Throws: `StoreError` if the file cannot be read.
  init(_ connection: Connection, path: String) throws {
    hashes = try MetadataTable(connection).read(path: path).metadata.versionHashes
    // Without a readable copy, only the hashes and the columns can be compared.
    let cached = try? StoredModel.cachedCopy(connection)
    copyDraft = cached?.draft
    copy = cached?.definition
    schema = try StoreCatalogue(connection).schema()
  }

  /// Reads the version without changing the file or creating files beside it.
  ///
  /// - Throws: `StoreError.cannotOpen` for a file that is missing or cannot be read; `.corrupt` if the file
  ///   is not a Core Data store.
  package static func read(path: String) throws -> StoreVersion {
    try StoreVersion(StoredModel.connection(path: path), path: path)
  }

  /// Returns the differences that prevent opening the store with `model`, as lines of text; empty if the store
  /// and the model match.
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
    // Without a copy, a changed entity whose hash cannot be compared is shown only by its columns.
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

  /// Whether the store was created with `model`, or with the part of `model` that the store's entities are.
  package func isVersion(_ model: ModelDefinition) -> Bool {
    !hashes.isEmpty && obstacles(toOpeningWith: model, entities: Set(hashes.keys)).isEmpty
  }

  /// The number of the entities whose hashes in `model` are those of the store.
  package func equalHashes(_ model: ModelDefinition) -> Int {
    ModelHashes(model: model).byEntity.count { hashes[$0.key] == $0.value }
  }

  /// The columns of the model that the tables lack, and the columns of the tables that the model lacks; one
  /// line for each, by entity that declares the property.
  private func columnDifferences(
    from model: ModelDefinition,
    _ entities: Set<String>?
  ) -> [String: [String]] {
    let common = Set(model.entities.map(\.name)).intersection(hashes.keys)
    let names = entities?.intersection(common) ?? common
    // A layout that cannot be made is reported when the store is opened.
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
  /// All columns of a table that properties use, and the bookkeeping columns.
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
