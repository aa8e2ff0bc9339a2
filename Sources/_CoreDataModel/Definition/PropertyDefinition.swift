// SPDX-License-Identifier: Apache-2.0

/// One property of an entity, immutable.
///
/// A class, so that passing one costs one count; what hot paths ask is worked out once.
package final class PropertyDefinition: Sendable {
  package enum Kind: Sendable {
    case attribute(AttributeDefinition)
    case relationship(RelationshipDefinition)
    /// A fetched property; it has neither a slot value nor a column.
    case fetched(FetchedPropertyDefinition)
  }

  package let name: String
  /// Index in `EntityDefinition.properties`: the same in every sub-entity that inherits the property.
  package let slot: Int
  /// Index of the entity that declares the property.
  package let declaringEntity: Int
  package let kind: Kind
  package let isOptional: Bool
  package let isTransient: Bool
  package let versionHashModifier: String?
  package let renamingIdentifier: String?
  package let userInfo: [String: String]
  package let isIndexedBySpotlight: Bool

  package let relationship: RelationshipDefinition?
  /// Whether a row has a column for it: a lasting attribute or a lasting to-one.
  package let isStored: Bool
  package let isToMany: Bool
  package let isToOne: Bool
  /// Whether a transformer of the program's own, which the model names, makes the bytes that a store keeps.
  package let isTransformedByName: Bool
  /// Whether an attribute's values have bounds, or a composite's elements have rules.
  package let hasBounds: Bool

  package var attribute: AttributeDefinition? {
    if case .attribute(let attribute) = kind { attribute } else { nil }
  }
  /// Whether a save has to check its value: mandatory, bounded, or counted.
  package var hasRule: Bool {
    if isFetched { return false }
    if let relationship, relationship.isToMany { return relationship.countsMembers }
    return !isOptional || hasBounds || isTransformedByName
  }
  /// Whether deleting an object looks at what this relationship leads to: to follow a cascade, to
  /// mend an inverse, or to deny.
  package var isAskedByDeletion: Bool {
    guard let relationship else { return false }
    switch relationship.deleteRule {
    case .noAction: return false
    case .nullify: return relationship.inverse != nil
    case .cascade, .deny: return true
    }
  }
  package var isFetched: Bool {
    if case .fetched = kind { true } else { false }
  }

  package init(
    name: String,
    slot: Int,
    declaringEntity: Int,
    kind: Kind,
    isOptional: Bool,
    isTransient: Bool,
    versionHashModifier: String?,
    renamingIdentifier: String?,
    userInfo: [String: String],
    isIndexedBySpotlight: Bool = false
  ) {
    self.name = name
    self.slot = slot
    self.declaringEntity = declaringEntity
    self.kind = kind
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.versionHashModifier = versionHashModifier
    self.renamingIdentifier = renamingIdentifier
    self.userInfo = userInfo
    self.isIndexedBySpotlight = isIndexedBySpotlight
    switch kind {
    case .attribute(let attribute):
      relationship = nil
      hasBounds = attribute.hasBounds
      isStored = !isTransient
      isTransformedByName = isStored && attribute.ownTransformerName != nil
    case .relationship(let found):
      relationship = found
      hasBounds = false
      isTransformedByName = false
      isStored = !isTransient && !found.isToMany
    case .fetched:
      relationship = nil
      hasBounds = false
      isTransformedByName = false
      isStored = false
    }
    isToMany = relationship?.isToMany ?? false
    isToOne = relationship.map { !$0.isToMany } ?? false
  }
}

/// What an attribute adds to a property.
package struct AttributeDefinition: Sendable {
  package var type: AttributeType
  /// Nil or `.null` where the model gives none.
  package var defaultValue: Value
  package var valueTransformerName: String?
  /// Class of a transformable's value, or a custom class name; nil for the type's own.
  package var customClassName: String?
  /// The name of a transformable's transformer where that is one of the program's own.
  ///
  /// Nil where the model names none, and for Foundation's, which read and write keyed archives.
  package var ownTransformerName: String? {
    guard type == .transformable, let name = valueTransformerName, !name.isEmpty,
      !Self.archivingTransformers.contains(name)
    else { return nil }
    return name
  }
  private static let archivingTransformers: Set<String> = [
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer",
    "NSKeyedUnarchiveFromData", "NSUnarchiveFromData",
  ]
  package var usesScalar: Bool
  package var allowsExternalStorage: Bool
  package var preservesValueInHistory: Bool
  package var allowsCloudEncryption: Bool
  /// Bounds of numbers and dates, or of a string's length; nil where unbounded.
  package var minimum: Value?
  package var maximum: Value?
  package var pattern: String?
  package var hasBounds: Bool {
    minimum != nil || maximum != nil || pattern != nil
      || elements.contains { !$0.isOptional || $0.attribute.hasBounds }
  }
  /// Whether the model marks it derived, and the derivation expression's text.
  package var derivation: String?
  /// Condition that a derived attribute's sources must meet, as text; nil for none.
  package var derivationFilter: String?
  /// Name of a composite attribute's type in `ModelDraft.composites`.
  package var compositeName: String?
  /// What a composite attribute is made of; a checked model fills it in.
  package var elements: [CompositeElement] = []

  package init(
    type: AttributeType,
    defaultValue: Value = .null,
    valueTransformerName: String? = nil,
    customClassName: String? = nil,
    usesScalar: Bool = false,
    allowsExternalStorage: Bool = false,
    preservesValueInHistory: Bool = false,
    allowsCloudEncryption: Bool = false,
    minimum: Value? = nil,
    maximum: Value? = nil,
    pattern: String? = nil,
    derivation: String? = nil
  ) {
    self.type = type
    self.defaultValue = defaultValue
    self.valueTransformerName = valueTransformerName
    self.customClassName = customClassName
    self.usesScalar = usesScalar
    self.allowsExternalStorage = allowsExternalStorage
    self.preservesValueInHistory = preservesValueInHistory
    self.allowsCloudEncryption = allowsCloudEncryption
    self.minimum = minimum
    self.maximum = maximum
    self.pattern = pattern
    self.derivation = derivation
  }
}

/// What happens to a relationship's destinations when the source is deleted; raw values are Apple's.
package enum DeleteRule: UInt, Sendable { case noAction = 0, nullify, cascade, deny }

/// What a relationship adds to a property.
package struct RelationshipDefinition: Sendable {
  /// Index of the destination entity.
  package var destination: Int
  /// Slot of the inverse in the destination entity; nil where there is none.
  package var inverse: Int?
  /// 1 for a to-one; 0 for an unbounded to-many.
  package var maxCount: Int
  package var minCount: Int
  package var isOrdered: Bool
  package var deleteRule: DeleteRule
  package var isToMany: Bool { maxCount != 1 }

  package init(
    destination: Int,
    inverse: Int?,
    maxCount: Int,
    minCount: Int,
    isOrdered: Bool,
    deleteRule: DeleteRule
  ) {
    self.destination = destination
    self.inverse = inverse
    self.maxCount = maxCount
    self.minCount = minCount
    self.isOrdered = isOrdered
    self.deleteRule = deleteRule
  }
}

/// How a number of members breaks a to-many's rule.
package enum MemberCountViolation: Sendable { case tooFew, tooMany }

extension RelationshipDefinition {
  /// Whether the number of members has a bound that a save has to check.
  package var countsMembers: Bool { minCount > 0 || maxCount > 1 }
}

extension PropertyDefinition {
  /// How `count` members break the rule of a to-many; nil where they are allowed.
  ///
  /// The minimum and the maximum alone decide, so a mandatory to-many without a minimum may be empty. An
  /// optional one may be empty whatever its minimum. Bounds below 1 are not bounds.
  /// Source: documented, “NSRelationshipDescription”; observed, stores whose mandatory to-manys with
  /// `minCount` 0 are empty.
  package func violation(ofMemberCount count: Int) -> MemberCountViolation? {
    guard let relationship, relationship.isToMany else { return nil }
    if count == 0, isOptional { return nil }
    if count < relationship.minCount { return .tooFew }
    return relationship.maxCount > 0 && count > relationship.maxCount ? .tooMany : nil
  }
}

/// What a fetched property adds to a property: its request as text.
package struct FetchedPropertyDefinition: Sendable {
  package var entityName: String
  package var predicateFormat: String?
  package var sort: [RequestSort] = []
  package var fetchLimit = 0
  package init(entityName: String, predicateFormat: String?) {
    self.entityName = entityName
    self.predicateFormat = predicateFormat
  }
}
