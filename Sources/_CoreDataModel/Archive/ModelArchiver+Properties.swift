// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelArchiver {
  mutating func define(_ property: PropertyDefinition, of entity: EntityDefinition) throws {
    var fields = commonFields(property, of: entity)
    let place = properties[entity.index][property.slot]
    switch property.kind {
    case .attribute(let attribute):
      if attribute.type == .composite {
        throw ModelError(
          entity: entity.name,
          property: property.name,
          reason:
            "a composite attribute cannot be written to a .mom, because Apple's format for composite "
            + "attributes is not known; load the .xcdatamodeld or .xcdatamodel at run time instead of "
            + "compiling the model"
        )
      }
      add(attribute, to: &fields)
      if let derivation = attribute.derivation {
        fields["NSDerivationExpression"] =
          try expression(
            derivation,
            Place(entity: entity.name, property: property.name, part: "the derivation expression")
          )
        fields["NSFilteringPredicate"] =
          try predicate(
            attribute.derivationFilter,
            Place(
              entity: entity.name,
              property: property.name,
              part: "the predicate that filters the derivation"
            )
          )
        markReadOnly(&fields)
        builder.define(place, .derivedAttribute, fields)
      } else {
        builder.define(place, .attribute, fields)
      }
    case .relationship(let relationship):
      add(relationship, to: &fields)
      builder.define(place, .relationship, fields)
    case .fetched(let fetched):
      try add(fetched, of: entity, named: property.name, to: &fields)
      builder.define(place, .fetchedProperty, fields)
    }
  }

  func markReadOnly(_ fields: inout [String: PropertyListNode]) {
    fields["NSIsReadOnly"] = .bool(true)
    fields["_P"] = .integer((fields["_P"]?.integer ?? 0) | 0x04)
  }

  private mutating func commonFields(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) -> [String: PropertyListNode] {
    var flags: Int64 = 0xF1
    var fields = [
      "NSPropertyName": builder.text(property.name),
      "NSRenamingIdentifier": builder.text(property.renamingIdentifier ?? property.name),
      "NSEntity": entities[entity.index],
    ]
    if property.isOptional {
      flags |= 0x02
      fields["NSIsOptional"] = .bool(true)
    }
    var isTransient = property.isTransient
    if case .fetched = property.kind { isTransient = true }
    if isTransient {
      flags |= 0x08
      fields["NSIsTransient"] = .bool(true)
    }
    if property.isIndexedBySpotlight {
      flags |= 0x100
      fields["NSIndexedBySpotlight"] = .bool(true)
    }
    if isIndexed(property, in: entity) { fields["NSIsIndexed"] = .bool(true) }
    if property.relationship?.isOrdered == true {
      flags |= 0x400
      fields["NSIsOrdered"] = .bool(true)
    }
    if !property.userInfo.isEmpty {
      flags &= ~0x40
      fields["NSUserInfo"] = userInfo(property.userInfo)
    }
    if let modifier = property.versionHashModifier {
      flags &= ~0x80
      fields["NSVersionHashModifier"] = builder.text(modifier)
    }
    fields["_P"] = .integer(flags)
    return fields
  }

  private func isIndexed(_ property: PropertyDefinition, in entity: EntityDefinition) -> Bool {
    if entity.fetchIndexes.contains(where: { $0.elements.map(\.property) == [property.name] }) {
      return true
    }
    return entity.parent.map { isIndexed(property, in: model.entities[$0]) } ?? false
  }

  private mutating func add(
    _ attribute: AttributeDefinition,
    to fields: inout [String: PropertyListNode]
  ) {
    fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
    fields["NSAttributeValueClassName"] = builder.text(
      attribute.customClassName ?? attribute.type.traits.valueClassName
    )
    fields["NSValueTransformerName"] = builder.text(attribute.valueTransformerName)
    fields["NSFlagsKey"] = .integer(
      (attribute.allowsExternalStorage ? 4 : 0) | (attribute.preservesValueInHistory ? 16 : 0)
    )
    fields["NSDefaultValue"] = object(attribute.defaultValue, of: attribute.type)
    let validations = validations(of: attribute)
    if validations.isEmpty { return }
    let flags = fields["_P"]?.integer ?? 0
    fields["_P"] = .integer(flags & ~0x30)
    fields["NSValidationPredicates"] = builder.array(
      .mutableArray,
      validations.map { comparison($0) }
    )
    fields["NSValidationWarnings"] = builder.array(
      .mutableArray,
      validations.map { builder.scalar(.integer($0.warning)) }
    )
  }

  private mutating func add(
    _ relationship: RelationshipDefinition,
    to fields: inout [String: PropertyListNode]
  ) {
    let destination = model.entities[relationship.destination]
    fields["NSDestinationEntity"] = entities[destination.index]
    fields["_NSDestinationEntityName"] = builder.text(destination.name)
    fields["NSInverseRelationship"] =
      relationship.inverse.map { properties[destination.index][$0] } ?? KeyedArchiveBuilder.null
    fields["_NSInverseRelationshipName"] = builder.text(
      relationship.inverse.map { destination.properties[$0].name }
    )
    fields["NSMinCount"] = .integer(Int64(relationship.minCount))
    fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
    fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
  }

  /// Adds a default value or bound and returns the reference to it.
  ///
  /// If `type` is a decimal or floating-point type, an integer is converted to that type. Null,
  /// collections, dictionaries, managed objects, object keys and opaque values become the null reference.
  mutating func object(_ value: Value, of type: AttributeType) -> PropertyListNode {
    switch value {
    case .int(let number) where type.traits.slot == .decimal:
      builder.value(.decimal(Decimal(number)))
    case .int(let number) where type.traits.slot == .double:
      builder.value(.double(Double(number)))
    case .collection, .dictionary: KeyedArchiveBuilder.null
    default: builder.value(value)
    }
  }
}
