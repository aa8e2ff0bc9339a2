// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

// The keys and messages of `$manager`, `$entityMapping`, `$propertyMapping` and `$entityPolicy` in the
// expressions of mapping models.

extension NSMigrationManager: KeyedObject {
  package var objectKey: ObjectKey? { nil }

  package func keyedValue(_ key: String) throws -> Value {
    switch key {
    // `Value(any:)` would make the properties of the contexts and models readable by expressions.
    case "sourceContext": return .opaque(sourceContext)
    case "destinationContext": return .opaque(destinationContext)
    case "sourceModel": return .opaque(sourceModel)
    case "destinationModel": return .opaque(destinationModel)
    case "mappingModel": return .opaque(mappingModel)
    case "currentEntityMapping": return .object(currentEntityMapping)
    case "migrationProgress": return .double(Double(migrationProgress))
    case "userInfo": return Value(any: userInfo).evaluated
    default: throw UnknownKey(key: key, owner: "NSMigrationManager")
    }
  }

  /// The selectors that look up the destination instances of a mapping.
  static let destinationSelectors = [
    "destinationInstancesForEntityMappingNamed:sourceInstances:",
    "destinationInstancesForEntityMappingName:sourceInstances:",
  ]

  package func reply(to selector: String, _ arguments: [Value]) throws -> Value? {
    switch selector {
    case "fetchRequestForSourceEntityNamed:predicateString:",
      "fetchRequestForSourceEntityNamed:predicateString:includesSubentities:":
      guard case .text(let entity)? = arguments.first else { return nil }
      return .opaque(try sourceRequest(entity: entity, arguments.dropFirst()))
    case let selector where Self.destinationSelectors.contains(selector):
      let (name, objects) = try mappingAndObjects(selector, arguments)
      return .objects(destinationInstances(forEntityMappingName: name, sourceInstances: objects))
    case "sourceInstancesForEntityMappingNamed:destinationInstances:",
      "sourceInstancesForEntityMappingName:destinationInstances:":
      let (name, objects) = try mappingAndObjects(selector, arguments)
      return .objects(sourceInstances(forEntityMappingName: name, destinationInstances: objects))
    case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
      guard arguments.count == 2 else { return nil }
      return .objects(destinationInstances(ofRelated: try Self.objects(arguments[1], selector)))
    default:
      return arguments.isEmpty && !selector.hasSuffix(":") ? try keyedValue(selector) : nil
    }
  }

  /// Returns a request for the objects of a source entity.
  ///
  /// `more` contains the optional arguments: a predicate format, and whether subentities are included.
  /// Subentities are excluded by default, because they have mappings of their own.
  func sourceRequest(
    entity: String,
    _ more: ArraySlice<Value> = []
  ) throws -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.includesSubentities = false
    if case .text(let format)? = more.first {
      request.predicate = NSPredicate.make(try Condition(format: format))
    }
    if case .bool(let flag)? = more.dropFirst().first { request.includesSubentities = flag }
    return request
  }

  private func mappingAndObjects(
    _ selector: String,
    _ arguments: [Value]
  ) throws -> (String, [NSManagedObject]) {
    guard arguments.count == 2, case .text(let name) = arguments[0] else {
      throw EvaluationError(
        .invalidArgument,
        "\(selector) requires two arguments: the name of an entity mapping, and managed objects"
      )
    }
    if let plans = state.plans?.all, !plans.contains(where: { $0.name == name }) {
      throw EvaluationError(
        .invalidArgument,
        "The mapping model has no entity mapping named “\(name)”. Use one of its mappings: "
          + plans.map(\.name).joined(separator: ", ")
      )
    }
    // In an expression, nil is the value of an empty to-one, so it selects no objects here, although it would
    // select all objects if it were passed on.
    return (name, try Self.objects(arguments[1], selector))
  }

  private static func objects(_ value: Value, _ selector: String) throws -> [NSManagedObject] {
    let values: [Value] =
      switch value {
      case .null: []
      case .collection(let collection): collection.members.filter { !$0.isNull }
      default: [value]
      }
    return try values.map { value in
      guard case .object(let object) = value, let managed = object as? NSManagedObject else {
        throw EvaluationError(
          .invalidArgument,
          "\(selector) requires managed objects, not \(value.kindName)"
        )
      }
      return managed
    }
  }

  /// Returns the destination objects that are associated with `sources`.
  ///
  /// While a relationship is being set, uses only mappings whose destination entity fits the relationship.
  /// The objects are in the order of `sources`; those of one source are in the order of the mappings.
  private func destinationInstances(ofRelated sources: [NSManagedObject]) -> [NSManagedObject] {
    guard let plans = state.plans, let model = destinationContext.frozenModel?.definition else {
      return []
    }
    let wanted = plans.current?.current?.definition.relationship.map {
      model.entities[$0.destination].family
    }
    let fitting = plans.all.filter { plan in
      guard let entity = plan.destination else { return false }
      return wanted?.contains(entity.frozenIndex) ?? true
    }
    // Consecutive objects of one entity are looked up together.
    var found: [NSManagedObject] = []
    var rest = sources[...]
    while let first = rest.first {
      let run = rest.prefix { $0.key.entity == first.key.entity }
      let names = fitting.filter { $0.source?.frozenIndex == first.key.entity }.map(\.name)
      found += destinationInstances(of: Array(run), mappings: names)
      rest = rest.dropFirst(run.count)
    }
    return found
  }

  private func destinationInstances(
    of sources: [NSManagedObject],
    mappings: [String]
  ) -> [NSManagedObject] {
    func destinations(_ sources: [NSManagedObject], _ mapping: String) -> [NSManagedObject] {
      destinationInstances(forEntityMappingName: mapping, sourceInstances: sources)
    }
    if mappings.count < 2 { return mappings.flatMap { destinations(sources, $0) } }
    // The objects are read together, and retained until they are found one by one.
    let all = mappings.map { destinations(sources, $0) }
    return withExtendedLifetime(all) {
      sources.flatMap { source in mappings.flatMap { destinations([source], $0) } }
    }
  }
}

extension Value {
  fileprivate static func objects(_ objects: [NSManagedObject]) -> Value {
    .collection(ValueCollection(.array, objects.map { .object($0) }))
  }
}

/// The error of a policy's function, as opposed to an error of the expression that calls the function.
struct PolicyFunctionError: Error {
  /// The name of the policy's class.
  let policy: String
  let selector: String
  let cause: any Error
}

extension NSEntityMigrationPolicy: KeyedObject {
  package var objectKey: ObjectKey? { nil }

  package func keyedValue(_ key: String) throws -> Value {
    guard let value = try reply(to: key, []) else {
      throw UnknownKey(key: key, owner: "\(type(of: self))")
    }
    return value
  }

  package func reply(to selector: String, _ arguments: [Value]) throws -> Value? {
    let functions = Self.functions
    guard let function = functions[selector] else {
      let known = functions.keys.sorted().joined(separator: ", ")
      throw EvaluationError(
        .unsupported,
        "The migration policy \(type(of: self)) has no function “\(selector)” "
          + (known.isEmpty ? "" : "(only \(known)) ")
          + "in its class property “functions”. Override this property, and add the function"
      )
    }
    do {
      return Value(any: try function(self, arguments.map(\.any))).evaluated
    } catch {
      throw PolicyFunctionError(policy: "\(type(of: self))", selector: selector, cause: error)
    }
  }
}

extension NSEntityMapping: KeyedObject {
  package var objectKey: ObjectKey? { nil }

  package func keyedValue(_ key: String) throws -> Value {
    switch key {
    case "name": Value(any: name)
    case "mappingType": .int(Int64(mappingType.rawValue))
    case "sourceEntityName": Value(any: sourceEntityName)
    case "destinationEntityName": Value(any: destinationEntityName)
    case "sourceEntityVersionHash": Value(any: sourceEntityVersionHash)
    case "destinationEntityVersionHash": Value(any: destinationEntityVersionHash)
    case "entityMigrationPolicyClassName": Value(any: entityMigrationPolicyClassName)
    case "userInfo": Value(any: userInfo).evaluated
    case "attributeMappings": .mappings(attributeMappings)
    case "relationshipMappings": .mappings(relationshipMappings)
    default: throw UnknownKey(key: key, owner: "NSEntityMapping")
    }
  }
}

extension NSPropertyMapping: KeyedObject {
  package var objectKey: ObjectKey? { nil }

  package func keyedValue(_ key: String) throws -> Value {
    switch key {
    case "name": Value(any: name)
    case "userInfo": Value(any: userInfo).evaluated
    default: throw UnknownKey(key: key, owner: "NSPropertyMapping")
    }
  }
}

extension Value {
  fileprivate static func mappings(_ mappings: [NSPropertyMapping]?) -> Value {
    .collection(ValueCollection(.array, (mappings ?? []).map { .object($0) }))
  }
}
