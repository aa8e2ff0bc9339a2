// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// An entity mapping that was checked against the two models, with its policy and its prepared expressions.
final class MappingPlan {
  let mapping: NSEntityMapping
  let policy: NSEntityMigrationPolicy
  let source: NSEntityDescription?
  let destination: NSEntityDescription?
  /// The attributes with an expression, except derived attributes, in the order of the mapping.
  let attributes: [PropertyPlan]
  /// The relationships with an expression, in the order of the mapping.
  let relationships: [PropertyPlan]
  /// The to-manys of the source entity that the expressions in `relationships` read.
  let sourcePaths: Set<[String]>
  /// Whether every relationship is a to-many whose expression looks up the destinations of a source to-many.
  let setsOnlyToManys: Bool
  /// Whether a relationship's expression may read source properties other than to-manys.
  let readsSourceRows: Bool
  /// The to-manys in `relationships`.
  let destinationPaths: Set<[String]>
  /// The values of the expressions' variables.
  private var variables: [String: Value]
  /// The property whose expression is being evaluated; nil between evaluations.
  private(set) var current: PropertyPlan?

  /// - Throws: `NSMigrationError` if an entity, a version hash or a property does not match the models, or if
  ///   the mapping creates objects of an abstract entity; `NSEntityMigrationPolicyError` if the policy class
  ///   is not found.
  init(_ mapping: NSEntityMapping, _ manager: NSMigrationManager) throws {
    let check = MappingCheck(mapping, manager)
    self.mapping = mapping
    source = try check.source()
    destination = try check.destination()
    policy = try check.policy()
    attributes = try check.attributes()
    relationships = try check.relationships()
    let toManys = source?.relationshipsByName.filter { $0.value.isToMany } ?? [:]
    sourcePaths = Set(
      relationships.flatMap(\.sourceKeys).filter { toManys[$0] != nil }.map { [$0] }
    )
    setsOnlyToManys = relationships.allSatisfy { property in
      property.definition.isToMany && property.lookUp.map { toManys[$0.key] != nil } ?? false
    }
    readsSourceRows = relationships.contains { property in
      property.lookUp.map { toManys[$0.key] == nil } ?? true
    }
    destinationPaths = Set(
      relationships.filter(\.definition.isToMany).map { [$0.definition.name] }
    )
    variables = [
      NSMigrationManagerKey: .object(manager), NSMigrationEntityMappingKey: .object(mapping),
      NSMigrationEntityPolicyKey: .object(policy),
    ]
  }

  var name: String { mapping.name ?? "" }
  var hasOwnPolicy: Bool { type(of: policy) != NSEntityMigrationPolicy.self }

  // MARK: Values

  /// Returns the value of a property's expression.
  ///
  /// - Throws: `NSMigrationError`, which names the mapping, the property and the expression;
  ///   `NSEntityMigrationPolicyError` if a function of the policy throws an error, which is the underlying
  ///   error. An error that already has a migration error code is thrown unchanged.
  func value(
    of property: PropertyPlan,
    source: NSManagedObject?,
    destination: NSManagedObject?
  ) throws -> Value {
    do {
      if let copy = property.transformableCopy, let source {
        return copy.content(of: source).map { .opaque($0) } ?? .null
      }
      if !property.usesVariables {
        return try property.expression.value(for: source.map { .object($0) } ?? .null)
      }
      variables[NSMigrationPropertyMappingKey] = .object(property.mapping)
      current = property
      defer { current = nil }
      return try value(property.expression, source, destination)
    } catch {
      throw MigrationErrors.unevaluable(error, property, in: self)
    }
  }

  func value(
    _ expression: PreparedTerm,
    _ source: NSManagedObject?,
    _ destination: NSManagedObject?
  ) throws -> Value {
    variables[NSMigrationSourceObjectKey] = source.map { .object($0) } ?? .null
    variables[NSMigrationDestinationObjectKey] = destination.map { .object($0) } ?? .null
    return try expression.value(
      for: source.map { .object($0) } ?? .null,
      updating: &variables
    )
  }
}

/// A property with the expression for its value.
///
/// A class, because the plans are visited for each object, and a definition is expensive to copy.
final class PropertyPlan {
  let mapping: NSPropertyMapping
  let definition: PropertyDefinition
  /// The mapping's expression, which is evaluated with the source object.
  let expression: PreparedTerm
  /// Whether the expression is evaluated with the variables of the plan.
  ///
  /// False for a constant, the source and a key path of the source, which are evaluated faster without
  /// variables.
  let usesVariables: Bool
  /// The key paths of the source in the expression and in the arguments of its functions.
  let sourceKeys: [String]
  /// The expression as the copy of a transformable attribute; nil if it is not such a copy.
  let transformableCopy: TransformableCopy?
  /// The expression as a look-up of related objects; nil if it is not such a look-up.
  let lookUp: RelatedLookUp?
  /// The expression as the copy of an attribute without a conversion; nil if it is not such a copy.
  let copied: CopiedAttribute?

  /// `source` is the source entity of the mapping; nil if the mapping has no source entity.
  init(
    _ mapping: NSPropertyMapping,
    _ definition: PropertyDefinition,
    _ term: Term,
    source: EntityDefinition?
  ) {
    self.mapping = mapping
    self.definition = definition
    let term = term.readingSource
    expression = PreparedTerm(term)
    sourceKeys = term.ownKeys
    transformableCopy = TransformableCopy(term, of: source, to: definition)
    lookUp = RelatedLookUp(term)
    copied = CopiedAttribute(term, of: source, to: definition)
    usesVariables =
      switch term {
      case .constant, .evaluatedObject, .keyPath: false
      default: true
      }
  }
}

/// An expression `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "mapping",
/// $source.relationship)`, which Xcode writes for most relationships.
struct RelatedLookUp {
  let mapping: String
  /// The name of the source entity's relationship.
  let key: String

  /// Creates the look-up from a mapping's expression; returns nil if the expression does not have this form.
  init?(reading expression: Term) { self.init(expression.readingSource) }

  /// Returns nil if `term`, which is evaluated with the source object, does not have this form.
  fileprivate init?(_ term: Term) {
    guard case .message(let selector, .variable(NSMigrationManagerKey), let arguments) = term,
      NSMigrationManager.destinationSelectors.contains(selector), arguments.count == 2,
      case .constant(let name) = arguments[0], case .text(let mapping) = name.value,
      case .keyPath(let key) = arguments[1]
    else { return nil }
    self.mapping = mapping
    self.key = key
  }
}

extension Term {
  /// The key paths of the evaluated object in the expression and in the arguments of its functions.
  fileprivate var ownKeys: [String] {
    switch self {
    case .keyPath(let path): [path]
    case .function(_, let arguments), .message(_, _, let arguments): arguments.flatMap(\.ownKeys)
    default: []
    }
  }

  /// The expression in which the evaluated object replaces `$source`, because the attributes of the evaluated
  /// object are read faster than those of a variable.
  fileprivate var readingSource: Term {
    switch self {
    case .variable(NSMigrationSourceObjectKey): .evaluatedObject
    case .keyPathOf(.variable(NSMigrationSourceObjectKey), let path) where !path.isEmpty:
      .keyPath(path)
    case .function(let function, let arguments):
      .function(function, arguments.map(\.readingSource))
    case .message(let selector, let receiver, let arguments):
      .message(selector, to: receiver.readingSource, arguments.map(\.readingSource))
    default: self
    }
  }
}

struct MappingPlans {
  let all: [MappingPlan]
  private let byMapping: [ObjectIdentifier: MappingPlan]

  /// - Throws: the errors of `MappingPlan.init`; `NSMigrationError` if two mappings have the same name.
  init(_ model: NSMappingModel, _ manager: NSMigrationManager) throws {
    var names: Set<String> = []
    all = try model.entityMappings.map { mapping in
      if !names.insert(mapping.name).inserted { throw MigrationErrors.duplicateName(mapping.name) }
      return try MappingPlan(mapping, manager)
    }
    byMapping = Dictionary(all.map { (ObjectIdentifier($0.mapping), $0) }) { first, _ in first }
  }

  func plan(of mapping: NSEntityMapping) -> MappingPlan? { byMapping[ObjectIdentifier(mapping)] }

  /// The plan whose expression is being evaluated.
  var current: MappingPlan? { all.first { $0.current != nil } }
}

extension NSMigrationManager {
  /// Returns the plan of a mapping; prepares a plan if the mapping is not one of the running migration.
  ///
  /// - Throws: the errors of `MappingPlan.init`.
  func plan(of mapping: NSEntityMapping) throws -> MappingPlan {
    if let plan = state.currentPlan, plan.mapping === mapping { return plan }
    return try state.plans?.plan(of: mapping) ?? MappingPlan(mapping, self)
  }
}
