// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQLite

/// Counts the source objects for which an entity mapping leaves a mandatory property of the destination
/// empty.
///
/// Such an object is invalid, so the migration would fail. A mapping with a policy is not examined, because
/// the policy can set the values.
struct MissingValues {
  typealias Note = MigrationForecast.Note

  private let mapping: NSEntityMapping
  private let mappings: [NSEntityMapping]
  private let context: NSManagedObjectContext
  private let source: EntityDefinition?
  private let destination: EntityDefinition?
  private let destinationModel: ModelDefinition
  private static let exampleLimit = 3

  /// Prepares the check of `mapping`, which is one of `mappings`; `stack` contains the open source store.
  ///
  /// - Throws: `ModelError` for an invalid model.
  init(
    _ mapping: NSEntityMapping,
    among mappings: [NSEntityMapping],
    to destination: NSManagedObjectModel,
    from stack: MigrationStack
  ) throws {
    self.mapping = mapping
    self.mappings = mappings
    context = stack.context
    source = try mapping.sourceEntityName.flatMap {
      try stack.model.freeze().definition.entity(named: $0)
    }
    destinationModel = try destination.freeze().definition
    self.destination = mapping.destinationEntityName.flatMap(destinationModel.entity(named:))
  }

  /// Returns a note for each mandatory property that stays empty in some objects.
  ///
  /// - Throws: the errors of fetches.
  /// - Complexity: a count for each mandatory property; reads all source objects for an expression that does
  ///   more than copy a value.
  func notes() throws -> [Note] {
    guard let source, let destination, MappingForecast.policyName(mapping) == nil else { return [] }
    return try destination.properties.compactMap { property in
      if property.isOptional || property.isTransient || property.isFetched { return nil }
      let missing: Missing?
      if let attribute = property.attribute {
        if attribute.derivation != nil || attribute.type == .composite { return nil }
        missing = try self.missing(property, attribute, source)
      } else {
        missing = try missingLinks(property, source)
      }
      guard let missing, missing.count > 0 else { return nil }
      return Note(
        kind: .refusal,
        place: "\(destination.name).\(property.name)",
        text:
          "the \(property.attribute == nil ? "relationship" : "attribute") is mandatory, but the mapping "
          + "\(mapping.name ?? "") leaves it without a value in \(CellText.count(missing.count, "object"))",
        count: missing.count,
        examples: missing.examples
      )
    }
  }

  private struct Missing {
    var count = 0
    var examples: [String] = []
  }

  // MARK: Attributes

  private func missing(
    _ property: PropertyDefinition,
    _ attribute: AttributeDefinition,
    _ source: EntityDefinition
  ) throws -> Missing? {
    let own = mapping.attributeMappings?.first { $0.name == property.name }
    guard let own, let term = own.valueExpression?.term else {
      return attribute.defaultValue.isNull ? try objects(nil) : nil
    }
    if own.keepsDefaultForNil, !attribute.defaultValue.isNull { return nil }
    if case .keyPathOf(.variable(NSMigrationSourceObjectKey), let name) = term,
      let copied = source.property(named: name), copied.attribute != nil, !copied.isTransient
    {
      return try objects(NSPredicate(format: "%K == nil", name))
    }
    return term.readsOnlySource ? try computed(term) : nil
  }

  /// Counts the objects for which the expression is nil, and those for which the expression cannot be
  /// evaluated, because the migration also fails at such an object.
  private func computed(_ term: Term) throws -> Missing? {
    guard let request = MappingForecast.sourceRequest(mapping) else { return nil }
    let expression = PreparedTerm(term)
    var missing = Missing()
    let fetch = try context.beginFetch(request)
    let keys = try fetch.keys()
    for range in Batches(count: keys.count, size: Batches.usualSize) {
      for object in try context.objects(ofBatch: Array(keys[range]), fetch.options) {
        var variables: [String: Value] = [NSMigrationSourceObjectKey: .object(object)]
        // The error is dropped, because the migration reports it.
        let value = try? expression.value(for: .object(object), updating: &variables)
        if let value, !value.isNull { continue }
        missing.count += 1
        if missing.examples.count < Self.exampleLimit { missing.examples.append(Self.name(object)) }
      }
      context.refreshAllObjects()
      context.processPendingChanges()
    }
    return missing
  }

  // MARK: Relationships

  private func missingLinks(
    _ property: PropertyDefinition,
    _ source: EntityDefinition
  ) throws -> Missing? {
    guard let relationship = property.relationship, property.isToOne || relationship.minCount > 0
    else { return nil }
    let own = mapping.relationshipMappings?.first { $0.name == property.name }
    guard let own, let term = own.valueExpression?.term else {
      return isSetByInverse(relationship) ? nil : try objects(nil)
    }
    // For any other expression, or if the inverse may set further links, only the migration shows which links
    // exist.
    guard let key = RelatedLookUp(reading: term)?.key, let link = source.property(named: key),
      link.relationship != nil,
      !isSetByInverse(relationship)
        || link.relationship?.inverse != nil
    else { return nil }
    return try objects(
      link.isToOne
        ? NSPredicate(format: "%K == nil", key) : NSPredicate(format: "%K.@count == 0", key)
    )
  }

  /// Whether an expression of any mapping sets the inverse of a relationship, or a policy may set the
  /// inverse.
  private func isSetByInverse(_ relationship: RelationshipDefinition) -> Bool {
    guard let slot = relationship.inverse else { return false }
    let inverse = destinationModel.entities[relationship.destination].properties[slot].name
    return mappings.contains { other in
      other.relationshipMappings?.contains { $0.name == inverse && $0.valueExpression != nil }
        == true
        || MappingForecast.policyName(other) != nil
    }
  }

  // MARK: Objects

  /// Counts the source objects that satisfy `condition`, or all source objects if `condition` is nil; returns
  /// nil if there are no such objects.
  private func objects(_ condition: NSPredicate?) throws -> Missing? {
    guard let request = MappingForecast.sourceRequest(mapping) else { return nil }
    let conditions = [request.predicate, condition].compactMap(\.self)
    request.predicate =
      conditions.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
    let count = try context.count(for: request)
    if count == 0 { return nil }
    request.fetchLimit = Self.exampleLimit
    return Missing(count: count, examples: try context.fetch(request).map(Self.name))
  }

  private static func name(_ object: NSManagedObject) -> String {
    "\(object.entity.name ?? "")/\(object.objectID.uriRepresentation().lastPathComponent)"
  }
}

extension Term {
  /// Whether the expression reads nothing but the source object, so that it can be evaluated without a
  /// migration.
  var readsOnlySource: Bool {
    !TreeNode.term(self).contains { node in
      switch node {
      case .term(.variable(let name)): name != NSMigrationSourceObjectKey
      case .term(.fetch), .term(.opaque), .term(.subquery), .term(.assignment): true
      default: false
      }
    }
  }
}
