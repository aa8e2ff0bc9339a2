// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads and writes models as keyed archives.
///
/// A `.mom` file is such an archive; a row of a store's table `Z_MODELCACHE` contains a compressed one.
///
///     let draft = try ModelArchive.draft(data, predicates: predicates)
///     let data = try ModelArchive.archive(model, form: .compiled, predicates: predicates)
///
/// Source: observed, 21 compiled models and the model caches of 177 stores.
package enum ModelArchive {
  /// The two forms in which Apple's framework archives models.
  package enum Form: Sendable {
    /// Each sub-entity repeats its inherited properties, and the entities are in an
    /// `NSKnownKeysDictionary1`, as in `Z_MODELCACHE`.
    case cache
    /// Each entity has only the properties that it declares, and the entities are in an
    /// `NSMutableDictionary`, as in `.mom` files.
    case compiled
  }

  /// Returns the archive of a model as `Z_MODELCACHE` stores it in the column `Z_CONTENT`: in the form
  /// `cache`, compressed with raw deflate.
  ///
  /// - Throws: the errors of `archive(_:form:predicates:)`, and `ModelError` if zlib fails.
  package static func compressed(
    _ model: ModelDefinition,
    predicates: any ArchivedPredicates
  ) throws -> Data {
    try RawDeflate.deflated(archive(model, form: .cache, predicates: predicates))
  }

  /// Returns the archive of a model, a binary property list.
  ///
  /// - Throws: `ModelError` if a part of the model cannot be archived, such as a composite attribute or a
  ///   predicate that cannot be parsed.
  package static func archive(
    _ model: ModelDefinition,
    form: Form,
    predicates: any ArchivedPredicates
  ) throws -> Data {
    var archiver = ModelArchiver(model: model, form: form, predicates: predicates)
    return try archiver.data()
  }

  /// Returns the model in the content of a `Z_MODELCACHE` row.
  ///
  /// - Throws: the errors of `draft(_:predicates:)`, and `ModelError` if the content cannot be decompressed
  ///   or its decompressed size exceeds 64 MiB.
  package static func draft(
    compressed content: Data,
    predicates: any ArchivedPredicates
  ) throws -> ModelDraft {
    try draft(RawDeflate.inflated(content, limit: 64 << 20), predicates: predicates)
  }

  /// Returns the model in an archive of either form; `data` may be untrusted.
  ///
  /// Entities and properties are sorted by name.
  /// - Throws: `ModelError` if the data is not an archive of a model or has a part that cannot be read. The
  ///   error names the entity and the property of that part where they are known.
  package static func draft(
    _ data: Data,
    predicates: any ArchivedPredicates
  ) throws -> ModelDraft {
    var reader = ModelUnarchiver(archive: try KeyedArchive(data), predicates: predicates)
    return try reader.draft()
  }
}

struct ModelArchiver {
  let model: ModelDefinition
  let form: ModelArchive.Form
  let predicates: any ArchivedPredicates
  var builder = KeyedArchiveBuilder()
  /// The reference to the model.
  let root: PropertyListNode
  /// Entity index → the reference to the entity.
  let entities: [PropertyListNode]
  /// Entity index → slot → the reference to the property.
  let properties: [[PropertyListNode]]

  init(
    model: ModelDefinition,
    form: ModelArchive.Form,
    predicates: any ArchivedPredicates
  ) {
    self.model = model
    self.form = form
    self.predicates = predicates
    var builder = KeyedArchiveBuilder()
    root = builder.reserve()
    entities = model.entities.map { _ in builder.reserve() }
    var places: [[PropertyListNode]] = []
    for entity in model.entities {
      let inherited = entity.parent.map { places[$0] } ?? []
      places.append(
        entity.properties.map { property in
          form == .compiled && property.declaringEntity != entity.index
            ? inherited[property.slot] : builder.reserve()
        }
      )
    }
    properties = places
    self.builder = builder
  }

  mutating func data() throws -> Data {
    for entity in model.entities { try define(entity) }
    builder.define(root, .model, try modelFields())
    return builder.data(root: root)
  }

  private mutating func modelFields() throws -> [String: PropertyListNode] {
    let identifiers = model.versionIdentifiers.map { builder.text($0) }
    var fields = [
      "NSEntities": entityTable(),
      "NSFetchRequestTemplates": try templates(),
      "NSVersionIdentifiers": builder.array(.set, identifiers),
    ]
    if !model.configurations.isEmpty {
      let members = model.configurations.sorted { utf8Less($0.key, $1.key) }
        .map { ($0.key, builder.array(.set, $0.value.map { entities[$0] })) }
      fields["NSConfigurations"] = builder.dictionary(.mutableDictionary, members)
    }
    return fields
  }

  private mutating func entityTable() -> PropertyListNode {
    let sorted = model.entities.sorted { utf8Less($0.name, $1.name) }
    if form == .compiled {
      return builder.dictionary(
        .mutableDictionary,
        sorted.map { ($0.name, entities[$0.index]) }
      )
    }
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
    let archived = entity.properties.filter {
      form == .cache || $0.declaringEntity == entity.index
    }
    for property in archived { try define(property, of: entity) }
    var fields = [
      "NSManagedObjectModel": root,
      "NSEntityName": builder.text(entity.name),
      "NSClassNameForEntity": builder.text(
        entity.className ?? (form == .compiled ? "NSManagedObject" : nil)
      ),
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
    try addConstraintsAndIndexes(of: entity, to: &fields)
    builder.define(entities[entity.index], .entity, fields)
  }

  mutating func userInfo(_ entries: [String: String]) -> PropertyListNode {
    let sorted = entries.sorted { utf8Less($0.key, $1.key) }
    return builder.dictionary(.dictionary, sorted.map { ($0.key, builder.text($0.value)) })
  }
}
