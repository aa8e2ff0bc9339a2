// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A checked, immutable model, whose entities and properties are addressed by index.
package final class ModelDefinition: Sendable {
  /// The entities, depth first with siblings sorted by name.
  ///
  /// In a new store, the `Z_ENT` of an entity is its index plus 1.
  package let entities: [EntityDefinition]
  package let indexByName: [String: Int]
  package let versionIdentifiers: [String]
  /// The indexes of each configuration's entities, by the configuration's name.
  package let configurations: [String: [Int]]
  package let fetchRequestTemplates: [FetchRequestTemplate]
  /// Whether any entity has a transient attribute.
  package let hasTransientAttributes: Bool
  /// Whether any entity has a transient attribute whose default value is an object that a row cannot hold.
  package let hasOpaqueTransientDefaults: Bool
  /// The slots of the persistent relationships from which a context removes a deleted object.
  package let linkSlots: LinkSlots
  let computedHashes = Mutex<ModelHashes?>(nil)

  /// Checks `draft` and numbers its entities and properties.
  ///
  /// - Throws: `ModelError` if the draft is not a valid model. The error names the entity and the property at
  ///   fault if they are known, and their file and line if the draft has them.
  package init(_ draft: ModelDraft) throws {
    WorkCounter.add(draft.entities.count)
    do {
      let order = try EntityOrder(draft)
      var builder = EntityBuilder(order: order, composites: draft.composites)
      entities = try builder.build()
      indexByName = order.indexByName
      configurations = try Dictionary(
        uniqueKeysWithValues: draft.configurations.map { name, members in
          (name, try Self.indexes(of: members, inConfiguration: name, order))
        }
      )
    } catch let error as ModelError {
      throw error.located(in: draft)
    }
    versionIdentifiers = draft.versionIdentifiers
    fetchRequestTemplates = draft.fetchRequestTemplates
    linkSlots = LinkSlots(entities)
    hasTransientAttributes = entities.contains { !$0.transientSlots.isEmpty }
    hasOpaqueTransientDefaults = entities.contains { entity in
      entity.transientSlots.contains {
        if case .opaque? = entity.properties[$0].attribute?.defaultValue { true } else { false }
      }
    }
  }

  private static func indexes(
    of names: [String],
    inConfiguration configuration: String,
    _ order: EntityOrder
  ) throws -> [Int] {
    try names.map { name in
      guard let index = order.indexByName[name] else {
        throw ModelError(
          reason:
            "the configuration “\(configuration)” names the entity “\(name)”, which does not exist"
        )
      }
      return index
    }
  }

  package func entity(named name: String) -> EntityDefinition? {
    indexByName[name].map { entities[$0] }
  }

  /// Returns whether a store has the links of a to-many under this side, and not under its inverse.
  ///
  /// Returns true for a relationship without an inverse, and for one of the two sides of a many-to-many
  /// relationship. The links of a many-to-many relationship that is its own inverse are written from both
  /// objects.
  package func ownsLinks(
    _ property: PropertyDefinition,
    _ relationship: RelationshipDefinition
  ) -> Bool {
    guard let inverse = relationship.inverse else { return true }
    let other = entities[relationship.destination].properties[inverse]
    guard other.isToMany else { return false }
    return (property.declaringEntity, property.slot) <= (other.declaringEntity, other.slot)
  }
}

/// One entity of a `ModelDefinition`.
package final class EntityDefinition: Sendable {
  package let index: Int
  package let name: String
  /// The name of the class of the entity's objects; nil for `NSManagedObject`.
  package let className: String?
  package let isAbstract: Bool
  package let parent: Int?
  /// The index of the topmost ancestor, or of the entity itself if the entity has no parent.
  package let root: Int
  package let children: [Int]
  /// The indexes of the entity and all its descendants.
  package let family: Range<Int>
  /// The properties by slot.
  ///
  /// First come the inherited properties in the parent's order, then the entity's own attributes and to-ones,
  /// then its own to-manys and fetched properties. Each of the last two groups is sorted by the UTF-8 bytes
  /// of the names.
  package let properties: [PropertyDefinition]
  package let slotByName: [String: Int]
  /// The uniqueness constraints that the entity declares or inherits, each a list of property names.
  package let uniquenessConstraints: [[String]]
  /// The uniqueness constraints that the entity itself declares; they are part of the version hash.
  package let ownUniquenessConstraints: [[String]]
  package let fetchIndexes: [FetchIndexDefinition]
  package let versionHashModifier: String?
  package let renamingIdentifier: String?
  package let userInfo: [String: String]
  package let codeGeneration: CodeGeneration?
  /// The slots of the persistent attributes and to-ones, ascending.
  package let storedSlots: [Int]
  /// The slots of the to-ones, ascending.
  package let toOneSlots: [Int]
  /// The slots of the to-manys, ascending.
  package let toManySlots: [Int]
  /// The slots of the transient attributes, ascending.
  package let transientSlots: [Int]
  /// The `transientSlots` with a default value that a row can hold.
  ///
  /// The other default values of transient attributes are in `FrozenModel.opaqueDefaults`.
  package let transientDefaultSlots: [Int]
  /// The slots of the properties whose value a save validates, ascending.
  package let validatedSlots: [Int]
  /// The slots of the relationships whose destinations a deletion reads, ascending.
  package let deletionSlots: [Int]
  /// The slots of the relationships with the delete rule deny, ascending.
  package let denyingSlots: [Int]
  /// The layout of this entity's rows in a `RowChunk`.
  package let rowLayout: RowLayout

  init(
    index: Int,
    draft: EntityDraft,
    parent: EntityDefinition?,
    children: [Int],
    familyEnd: Int,
    properties: [PropertyDefinition]
  ) {
    self.index = index
    name = draft.name
    className = draft.className
    isAbstract = draft.isAbstract
    self.parent = parent?.index
    root = parent?.root ?? index
    self.children = children
    family = index..<familyEnd
    self.properties = properties
    slotByName = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0.slot) })
    ownUniquenessConstraints = draft.uniquenessConstraints
    uniquenessConstraints = (parent?.uniquenessConstraints ?? []) + draft.uniquenessConstraints
    fetchIndexes = draft.fetchIndexes
    versionHashModifier = draft.versionHashModifier
    renamingIdentifier = draft.renamingIdentifier
    userInfo = draft.userInfo
    codeGeneration = draft.codeGeneration
    storedSlots = properties.filter(\.isStored).map(\.slot)
    toOneSlots = properties.filter(\.isToOne).map(\.slot)
    toManySlots = properties.filter(\.isToMany).map(\.slot)
    transientSlots = properties.filter { $0.isTransient && $0.attribute != nil }.map(\.slot)
    rowLayout = RowLayout(properties)
    let kinds = rowLayout.kinds
    transientDefaultSlots = transientSlots.filter {
      kinds[$0] != .opaque && properties[$0].attribute?.defaultValue.isNull == false
    }
    validatedSlots = properties.filter(\.hasRule).map(\.slot)
    deletionSlots = properties.filter(\.isReadByDeletion).map(\.slot)
    denyingSlots = properties.filter { $0.relationship?.deleteRule == .deny }.map(\.slot)
  }

  package func property(named name: String) -> PropertyDefinition? {
    slotByName[name].map { properties[$0] }
  }
  /// Returns whether the entity is `other` or a descendant of `other`.
  package func isKind(of other: EntityDefinition) -> Bool { other.family.contains(index) }
}

/// An error in a model, mapping model or archive, or a finding of `ModelCheck`, with its place and reason.
package struct ModelError: Error, CustomStringConvertible, Hashable {
  /// The path of the file; nil if the model was not read from a file, or if the path is not known.
  package var file: String?
  /// The 1-based line of the faulty element; nil if the file is not text, or if the line is not known.
  package var line: Int?
  /// The name of the faulty entity, composite type or entity mapping; nil for any other error.
  package var entity: String?
  package var property: String?
  package var reason: String
  package init(
    file: String? = nil,
    line: Int? = nil,
    entity: String? = nil,
    property: String? = nil,
    reason: String
  ) {
    self.file = file
    self.line = line
    self.entity = entity
    self.property = property
    self.reason = reason
  }
  /// `file:line: Entity.property: reason`, without the parts that are nil.
  ///
  /// A line without a file is written as `line 7`.
  package var description: String {
    fileAndLine + explanation
  }

  /// The description without the file and the line.
  package var explanation: String {
    switch (entity, property) {
    case (let entity?, let property?): "\(entity).\(property): \(reason)"
    case (let entity?, nil): "\(entity): \(reason)"
    case (nil, let property?): "\(property): \(reason)"
    case (nil, nil): reason
    }
  }

  private var fileAndLine: String {
    switch (file, line) {
    case (let file?, let line?): "\(file):\(line): "
    case (let file?, nil): "\(file): "
    case (nil, let line?): "line \(line): "
    case (nil, nil): ""
    }
  }

  /// Returns the error with the file of `draft` and the line of the property or entity that the error names.
  ///
  /// A file or line that is already set is kept.
  package func located(in draft: ModelDraft) -> ModelError {
    var error = self
    error.file = file ?? draft.file
    let owner = draft.entities.last { $0.name == entity }
    let blamed = owner?.properties.last { $0.name == property }
    error.line = line ?? blamed?.line ?? owner?.line
    return error
  }
}
