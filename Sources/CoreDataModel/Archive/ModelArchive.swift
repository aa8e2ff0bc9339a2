// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The model as a keyed archive, as the `Z_MODELCACHE` table of a store holds it.
///
/// Left out, because their archived form holds parsed predicates: fetched properties, fetch request
/// templates, patterns of texts, and fetch indexes with a condition or an expression. None of them
/// enters a version hash. Source: observed, model caches of 177 stores.
package enum ModelArchive {
  /// What `Z_CONTENT` takes: the archive, raw-deflated.
  ///
  /// - Throws: `ModelError` where an attribute is derived or composite; a store of such a model is
  ///   written without a cache.
  package static func compressed(_ model: ModelDefinition) throws -> Data {
    try RawDeflate.deflated(archive(model))
  }

  /// The archive itself, a binary property list.
  ///
  /// - Throws: `ModelError` where an attribute is derived or composite.
  package static func archive(_ model: ModelDefinition) throws -> Data {
    var archiver = ModelArchiver(model: model)
    return try archiver.data()
  }
}

/// Writes one model into a keyed archive.
struct ModelArchiver {
  let model: ModelDefinition
  var builder = KeyedArchiveBuilder()
  /// Places of the model, of its entities, and of each entity's properties by slot.
  let root: PropertyListNode
  let entities: [PropertyListNode]
  let properties: [[PropertyListNode]]

  init(model: ModelDefinition) {
    self.model = model
    var builder = KeyedArchiveBuilder()
    root = builder.reserve()
    entities = model.entities.map { _ in builder.reserve() }
    properties = model.entities.map { entity in
      entity.properties.map { Self.isArchived($0) ? builder.reserve() : KeyedArchiveBuilder.null }
    }
    self.builder = builder
  }

  static func isArchived(_ property: PropertyDefinition) -> Bool {
    if case .fetched = property.kind { false } else { true }
  }

  mutating func data() throws -> Data {
    for entity in model.entities { try define(entity) }
    builder.define(root, .model, modelFields())
    return builder.data(root: root)
  }

  private mutating func modelFields() -> [String: PropertyListNode] {
    let identifiers = model.versionIdentifiers.map { builder.text($0) }
    var fields = [
      "NSEntities": entityTable(),
      "NSFetchRequestTemplates": KeyedArchiveBuilder.null,
      "NSVersionIdentifiers": builder.array(.set, identifiers),
    ]
    if !model.configurations.isEmpty {
      let members = model.configurations.sorted { utf8Less($0.key, $1.key) }
        .map { ($0.key, builder.array(.set, $0.value.map { entities[$0] })) }
      fields["NSConfigurations"] = builder.dictionary(.mutableDictionary, members)
    }
    return fields
  }

  /// Names and entities, sorted by name, in the framework's fixed-key dictionary.
  private mutating func entityTable() -> PropertyListNode {
    let sorted = model.entities.sorted { utf8Less($0.name, $1.name) }
    let names = sorted.map { builder.text($0.name) }
    let mapping = builder.object(
      .knownKeysMapping,
      [
        "length": .integer(Int64(names.count)), "keys": builder.array(.array, names),
        "version": .integer(1),
      ]
    )
    return builder.object(
      .knownKeys,
      [
        "searchMapping": mapping, "version": .integer(1),
        "values": builder.array(.array, sorted.map { entities[$0.index] }),
        "emptyToken": builder.text("__empty_slot_token_4c24_98dc_ac1e_b773__"),
      ]
    )
  }

  private mutating func define(_ entity: EntityDefinition) throws {
    let archived = entity.properties.filter(Self.isArchived)
    for property in archived { try define(property, of: entity) }
    var fields = [
      "NSManagedObjectModel": root,
      "NSEntityName": builder.text(entity.name),
      "NSClassNameForEntity": builder.text(entity.className),
      "NSVersionHashModifier": builder.text(entity.versionHashModifier),
      "NSRenamingIdentifier": builder.text(entity.renamingIdentifier ?? entity.name),
      "NSUserInfo": userInfo(entity.userInfo),
      "NSSuperentity": entity.parent.map { entities[$0] } ?? KeyedArchiveBuilder.null,
      "NSSubentities": builder.dictionary(
        .mutableDictionary,
        entity.children.map { (model.entities[$0].name, entities[$0]) }
      ),
      "NSProperties": builder.dictionary(
        .mutableDictionary,
        archived.map { ($0.name, properties[entity.index][$0.slot]) }
      ),
    ]
    if entity.isAbstract { fields["NSIsAbstract"] = .bool(true) }
    addConstraintsAndIndexes(of: entity, to: &fields)
    builder.define(entities[entity.index], .entity, fields)
  }

  mutating func userInfo(_ entries: [String: String]) -> PropertyListNode {
    let sorted = entries.sorted { utf8Less($0.key, $1.key) }
    return builder.dictionary(.dictionary, sorted.map { ($0.key, builder.text($0.value)) })
  }
}
