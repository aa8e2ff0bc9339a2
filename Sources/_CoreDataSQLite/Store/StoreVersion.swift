// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The version of the model with which a store was created: its version hashes, and the copy of the model in
/// the file.
///
/// Entities whose hashes cannot be compared are compared by the copy or, without a copy, by their columns.
///
///     let version = try StoreVersion.read(path: "Shop.sqlite")
///     let isCurrent = version.obstacles(toOpeningWith: model).isEmpty
package struct StoreVersion: Sendable {
  /// The store's `NSStoreModelVersionHashes`; empty if the store has no version hashes.
  package let hashes: [String: Data]
  /// The copy of the model in the file; nil if the file has no copy or if the copy cannot be read.
  package let copy: ModelDefinition?
  /// The draft from which `copy` was created; nil if `copy` is nil.
  package let copyDraft: ModelDraft?
  let content: MetadataTable.Content
  let schema: StoredSchema

  /// `content` is the content of the file's metadata table; nil if the table has not been read yet.
  ///
  /// - Throws: `StoreError` if the file cannot be read.
  init(
    _ connection: Connection,
    path: String,
    _ resources: MigrationResources? = nil,
    content: MetadataTable.Content? = nil
  ) throws {
    self.content = try content ?? MetadataTable(connection).read(path: path)
    hashes = self.content.metadata.versionHashes
    var copy: ModelCopy?
    do {
      copy = try StoredModel.copy(connection, resources)
    } catch let error where StoredModel.isAbsence(error) {
      // Without a copy, the hashes and the columns are compared.
    }
    copyDraft = copy?.draft
    self.copy = copy?.definition
    schema = try StoreCatalogue(connection).schema()
  }

  /// Reads the version without changing the file or creating files beside it.
  ///
  /// - Throws: `StoreError.cannotOpen` for a file that is missing or cannot be read; `.corrupt` if the file
  ///   is not a Core Data store.
  package static func read(path: String) throws -> StoreVersion {
    try StoreVersion(StoredModel.connection(path: path), path: path)
  }

  /// Returns whether the store can be opened with `model`; if not, `obstacles(toOpeningWith:entities:)`
  /// returns the reasons.
  ///
  /// `entities` contains the names of the entities to compare; nil means all entities of the store and of the
  /// model.
  package func matches(_ model: ModelDefinition, entities: Set<String>? = nil) -> Bool {
    guard let copy else { return obstacles(toOpeningWith: model, entities: entities).isEmpty }
    return !ModelDifference.hasObstacles(
      toOpening: hashes,
      of: copy,
      with: model,
      entities: entities
    )
  }

  /// Returns the differences that prevent opening the store with `model`, as lines of text; empty if the
  /// store and the model match.
  ///
  /// `entities` contains the names of the entities to compare, such as those of a configuration; nil means
  /// all entities of the store and of the model.
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
    // The hash of an unverifiable entity can differ although the entity has not changed. Without a copy of
    // the model, only the columns show a change.
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

  /// Returns the first 20 differences that prevent opening the store with `model`, as one text; nil if the
  /// store and the model match.
  ///
  /// `entities` contains the names of the entities to compare; nil means all entities of the store and of the
  /// model.
  package func difference(from model: ModelDefinition, entities: Set<String>?) -> String? {
    let lines = obstacles(toOpeningWith: model, entities: entities)
    if lines.isEmpty { return nil }
    let limit = 20
    let more = lines.count > limit ? "; and \(CellText.count(lines.count - limit)) more" : ""
    return lines.prefix(limit).joined(separator: "; ") + more
  }

  /// Returns the error text for a store that cannot be opened with `model`, with the differences.
  package func incompatibility(with model: ModelDefinition, entities: Set<String>?) -> String {
    Self.incompatible + (difference(from: model, entities: entities).map { ": " + $0 } ?? "")
  }

  static let incompatible =
    "the model used to open the store is incompatible with the one used to create it"

  /// Returns whether `model` matches the store in all entities of the store; false if the store has no
  /// version hashes.
  ///
  /// `model` may have more entities than the store.
  package func isVersion(_ model: ModelDefinition) -> Bool {
    !hashes.isEmpty && matches(model, entities: Set(hashes.keys))
  }

  /// Returns the number of entities whose hash in `model` equals the hash in the store.
  package func equalHashes(_ model: ModelDefinition) -> Int {
    ModelHashes(model: model).byEntity.count { hashes[$0.key] == $0.value }
  }

  /// Returns the index of the model that differs least from the store; nil if `models` is empty.
  ///
  /// Models are compared by the number of differing properties, then by the number of entities with equal
  /// hashes; of several best models, the last one is returned. If only the store or only the model has an
  /// entity, all properties of this entity count as different. Hashes are compared second, because changing
  /// one property in each of many entities changes the hashes of all these entities.
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

  /// Returns lines of text for the columns that only the model or only the store's tables have, by entity
  /// name.
  ///
  /// A column of the model is listed under the entity that declares the column's property. A column of a
  /// table is listed under the table's root entity.
  private func columnDifferences(
    from model: ModelDefinition,
    _ entities: Set<String>?
  ) -> [String: [String]] {
    let common = Set(model.entities.map(\.name)).intersection(hashes.keys)
    let names = entities?.intersection(common) ?? common
    // The error is ignored here, because opening the store throws the same error.
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
  /// Returns the columns that the model needs in a table: those of properties, and `Z_PK`, `Z_ENT` and
  /// `Z_OPT`.
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
