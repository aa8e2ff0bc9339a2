// SPDX-License-Identifier: Apache-2.0

/// One property of an entity, immutable.
///
/// This type is a class, so that passing a definition costs a single retain. The initializer computes the
/// stored properties that hot paths read.
package final class PropertyDefinition: Sendable {
  package enum Kind: Sendable {
    case attribute(AttributeDefinition)
    case relationship(RelationshipDefinition)
    /// A fetched property, which has neither a value in a slot nor a column.
    case fetched(FetchedPropertyDefinition)
  }

  package let name: String
  /// The index in `EntityDefinition.properties`; the same in every subentity that inherits the property.
  package let slot: Int
  /// The index of the entity that declares the property.
  package let declaringEntity: Int
  package let kind: Kind
  package let isOptional: Bool
  package let isTransient: Bool
  package let versionHashModifier: String?
  package let renamingIdentifier: String?
  package let userInfo: [String: String]
  package let isIndexedBySpotlight: Bool

  package let relationship: RelationshipDefinition?
  /// Whether the property is a persistent attribute or a persistent to-one.
  package let isStored: Bool
  package let isToMany: Bool
  package let isToOne: Bool
  /// Whether the property is a persistent attribute with an `ownTransformerName`.
  package let isTransformedByName: Bool
  /// Whether the property is an attribute with bounds or a pattern, or a composite with an element that is
  /// mandatory or has bounds or a pattern.
  package let hasBounds: Bool

  package var attribute: AttributeDefinition? {
    if case .attribute(let attribute) = kind { attribute } else { nil }
  }
  /// Whether a save validates the property's value.
  ///
  /// True for mandatory attributes and to-ones, for attributes whose `hasBounds` or `isTransformedByName` is
  /// true, and for to-manys with a minimum or maximum count.
  package var hasRule: Bool {
    if isFetched { return false }
    if let relationship, relationship.isToMany { return relationship.countsMembers }
    return !isOptional || hasBounds || isTransformedByName
  }
  /// Whether deleting an object reads the destinations of this relationship: to cascade, to nullify the
  /// inverse, or to deny the deletion.
  package var isReadByDeletion: Bool {
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

/// The part of a property that only attributes have.
package struct AttributeDefinition: Sendable {
  package var type: AttributeType
  /// The default value; `.null` if the model has no default value.
  package var defaultValue: Value
  package var valueTransformerName: String?
  /// The class name that the model sets for the values, for example of a transformable attribute; nil for the
  /// default class of the type.
  package var customClassName: String?
  /// The name of the value transformer that the program registers for a transformable attribute.
  ///
  /// Nil if the attribute is not transformable, if the model names no transformer, or if the transformer is
  /// one of Foundation's archiving transformers.
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
  /// The lower bound of the value or, for types such as string and binary data, of its length; nil if
  /// unbounded.
  package var minimum: Value?
  /// The upper bound of the value or, for types such as string and binary data, of its length; nil if
  /// unbounded.
  package var maximum: Value?
  package var pattern: String?
  package var hasBounds: Bool {
    minimum != nil || maximum != nil || pattern != nil
      || elements.contains { !$0.isOptional || $0.attribute.hasBounds }
  }
  /// The format string of a derived attribute's expression; nil for an attribute that is not derived.
  package var derivation: String?
  /// The format string of a predicate that filters a derived attribute's source objects; nil for no filter.
  package var derivationFilter: String?
  /// The name of a composite attribute's type in `ModelDraft.composites`.
  package var compositeName: String?
  /// The elements of a composite attribute in a checked model; empty in a draft and for other attributes.
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

/// What happens to a relationship's destinations when the source is deleted; the raw values are those of
/// `NSDeleteRule`.
package enum DeleteRule: UInt, Sendable { case noAction = 0, nullify, cascade, deny }

/// The part of a property that only relationships have.
package struct RelationshipDefinition: Sendable {
  /// The index of the destination entity.
  package var destination: Int
  /// Slot of the inverse in the destination entity; nil if the relationship has no inverse.
  package var inverse: Int?
  /// The maximum number of members: 1 for a to-one, 0 or less for an unbounded to-many.
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

/// How a to-many violates its minimum or maximum count.
package enum MemberCountViolation: Sendable { case tooFew, tooMany }

extension RelationshipDefinition {
  /// Whether a to-many has a minimum or maximum number of members that a save validates.
  package var countsMembers: Bool { minCount > 0 || maxCount > 1 }
}

extension PropertyDefinition {
  /// Returns how `count` members violate the minimum or maximum count of a to-many.
  ///
  /// Nil if `count` is valid, and for a property that is not a to-many. A mandatory to-many without a minimum
  /// may be empty. An optional to-many may be empty whatever its minimum. A minimum or maximum below 1 means
  /// that there is no such bound.
  /// Source: documented, “NSRelationshipDescription”; observed, stores whose mandatory to-manys with
  /// `minCount` 0 are empty.
  package func violation(ofMemberCount count: Int) -> MemberCountViolation? {
    guard let relationship, relationship.isToMany else { return nil }
    if count == 0, isOptional { return nil }
    if count < relationship.minCount { return .tooFew }
    return relationship.maxCount > 0 && count > relationship.maxCount ? .tooMany : nil
  }
}

/// The part of a property that only fetched properties have: the fetch request, whose predicate is a format
/// string.
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
