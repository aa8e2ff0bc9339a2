// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// Carries out one entity mapping; subclasses override methods to change how objects are migrated.
///
/// ```swift
/// final class NoteToNote: NSEntityMigrationPolicy {
///   override func createDestinationInstances(
///     forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
///   ) throws {
///     try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
///     let note = manager.destinationInstances(
///       forEntityMappingName: mapping.name, sourceInstances: [source]).first
///     note?.setValue("untitled", forKey: "title")
///   }
/// }
/// ```
/// For each entity mapping, a migration creates one policy, whose class is named by the mapping. The class is
/// found like a managed object class; see `MigrationPolicyClasses`.
///
/// Source: documented, “NSEntityMigrationPolicy”.
open class NSEntityMigrationPolicy: NSObject {
  /// Creates a policy; migrations use this initialiser.
  public override init() { super.init() }

  /// Creates a policy whose class is known only at run time, with the `init()` of that class.
  ///
  /// Not in Apple's framework.
  ///
  /// Migrations call this initialiser, which calls `init()`. The parameter is not used.
  ///
  /// Source: this library's choice; see `NSManagedObject.init(entity:insertInto:_:)`.
  @_disfavoredOverload
  public required convenience init(_: Void = ()) { self.init() }

  /// Functions of the policy by selector, for expressions such as
  /// `FUNCTION($entityPolicy, "shelfForCode:", $source.code)`.
  ///
  /// Not in Apple's framework.
  ///
  /// ```swift
  /// override class var functions: [String: Function] {
  ///   ["shelfForCode:": { policy, arguments in
  ///     (policy as? BookPolicy)?.shelf(code: arguments[0] as? String)
  ///   }]
  /// }
  /// ```
  /// Replaces the methods that Apple's framework finds by their selectors. Empty by default; a subclass adds
  /// its functions to `super.functions`.
  ///
  /// Source: this library's choice.
  open class var functions: [String: Function] { [:] }
  /// A closure that computes the value of a policy's function from the arguments in the expression.
  ///
  /// An error that the closure throws ends the migration, which throws `NSEntityMigrationPolicyError`; the
  /// closure's error is the underlying error.
  ///
  /// Not in Apple's framework.
  public typealias Function = @Sendable (NSEntityMigrationPolicy, [Any?]) throws -> Any?

  // MARK: Steps of a migration

  /// Called before the objects of the mapping are created; does nothing by default.
  open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

  /// Creates the destination objects of one source object, and associates them with the source object.
  ///
  /// By default, inserts an object of the destination entity, sets its attributes to the values of the
  /// mapping's expressions, and calls `associate(sourceInstance:withDestinationInstance:for:)`. An attribute
  /// without an expression keeps its default value. Does nothing if the mapping has no destination entity.
  /// - Throws: `NSMigrationError` if the mapping does not match the models, if an expression cannot be
  ///   evaluated, or if the value of an expression does not fit its attribute.
  open func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let plan = try manager.plan(of: mapping)
    guard let entity = plan.destination else { return }
    let destination = NSManagedObject(entity: entity, insertInto: manager.destinationContext)
    for property in plan.attributes {
      let keepsDefault = property.mapping.keepsDefaultForNil
      let isCopied = property.copied?.copy(
        from: sInstance,
        to: destination,
        keepsDefault: keepsDefault
      )
      if isCopied == true { continue }
      let value = try plan.value(of: property, source: sInstance, destination: destination)
      if value.isNull, keepsDefault { continue }
      if !destination.assign(value, to: property.definition) {
        throw MigrationErrors.unfit(value, of: property, in: plan, source: sInstance)
      }
    }
    manager.associate(sourceInstance: sInstance, withDestinationInstance: destination, for: mapping)
  }

  /// Called after the objects of the mapping were created; does nothing by default.
  open func endInstanceCreation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {}

  /// Sets the relationships of one destination object.
  ///
  /// By default, sets each relationship to the value of the mapping's expression. A relationship without an
  /// expression is not changed. A to-one is set to the first object of a collection.
  /// - Throws: `NSMigrationError` if the mapping does not match the models, if an expression cannot be
  ///   evaluated, or if the value of an expression does not fit its relationship.
  open func createRelationships(
    forDestination dInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let plan = try manager.plan(of: mapping)
    if plan.relationships.isEmpty || manager.isUnrelated(dInstance, in: mapping) { return }
    let source = manager.firstSource(of: dInstance, in: mapping)
    for property in plan.relationships {
      if let members = source.flatMap({ manager.destinations(of: $0, by: property.lookUp) }),
        try dInstance.connect(members, by: property.definition)
      {
        continue
      }
      let value = try plan.value(of: property, source: source, destination: dInstance)
      if try !dInstance.connect(value, by: property.definition) {
        throw MigrationErrors.unfit(value, of: property, in: plan, source: source)
      }
    }
  }

  /// Called after the relationships of the mapping's objects were set; does nothing by default.
  open func endRelationshipCreation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {}

  /// Called after all relationships of all mappings were set, to check the result; does nothing by default.
  ///
  /// The migration also validates all objects by the rules of the model, whatever this method does.
  open func performCustomValidation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {}

  /// Called when the mapping is complete; does nothing by default.
  open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}
}

extension NSMigrationManager {
  /// Whether the relationships of an object and those of its source are empty.
  fileprivate func isUnrelated(_ destination: NSManagedObject, in mapping: NSEntityMapping) -> Bool
  {
    guard let pair = state.relatedPair else { return false }
    return pair.isUnrelated && pair.destination === destination && pair.mapping === mapping
      && !destination.hasChanges
  }

  fileprivate func firstSource(
    of destination: NSManagedObject,
    in mapping: NSEntityMapping
  ) -> NSManagedObject? {
    if let pair = state.relatedPair, pair.destination === destination, pair.mapping === mapping {
      return pair.source
    }
    return sourceInstances(
      forEntityMappingName: mapping.name,
      destinationInstances: [destination]
    ).first
  }

  /// Returns the objects that a look-up finds for a source, as the evaluation of its expression would.
  ///
  /// Returns nil if the expression is not a look-up of a relationship in a mapping of the running migration.
  fileprivate func destinations(
    of source: NSManagedObject,
    by lookUp: RelatedLookUp?
  ) -> [NSManagedObject]? {
    // A subclass can override the method that the expression calls.
    guard let lookUp, type(of: self) == NSMigrationManager.self,
      let sources = source.relatedKeys(lookUp.key),
      let plans = state.plans?.all, plans.contains(where: { $0.name == lookUp.mapping })
    else { return nil }
    return state.instances.destinations(
      of: sources,
      mapping: lookUp.mapping,
      in: destinationContext
    )
  }
}

extension NSManagedObject {
  /// Sets an attribute to the value of an expression; returns false if the value does not fit.
  ///
  /// Does not call an overridden `setValue(_:forKey:)`, except for attributes whose values are objects.
  func assign(_ value: Value, to property: PropertyDefinition) -> Bool {
    if entityDefinition.rowLayout.kinds[property.slot] == .opaque {
      if case .opaque(let content as ArchivedContent) = value {
        setStoredData(content.data, of: property)
        return true
      }
      if property.attribute?.type == .composite {
        switch value {
        case .dictionary, .null: break
        default: return false
        }
      }
      setValue(value.any, forKey: property.name)
      return true
    }
    var fits = false
    watching(property.slot) {
      let place = willWrite(property.slot)
      fits = place.chunk.setValue(place.row, property.slot, value)
    }
    return fits
  }

  /// Sets a relationship to the value of an expression; returns false if the value does not fit.
  ///
  /// - Throws: an error from reading rows or members.
  fileprivate func connect(_ value: Value, by property: PropertyDefinition) throws -> Bool {
    let values: [Value] =
      switch value {
      case .null: []
      case .collection(let collection): collection.members.filter { !$0.isNull }
      default: [value]
      }
    var members: [NSManagedObject] = []
    for value in values {
      guard case .object(let object) = value, let member = object as? NSManagedObject else {
        return false
      }
      members.append(member)
    }
    return try connect(members, by: property)
  }

  /// Sets a to-many to the objects, or a to-one to the first object; returns false if an object does not
  /// fit.
  ///
  /// - Throws: an error from reading rows or members.
  fileprivate func connect(
    _ members: [NSManagedObject],
    by property: PropertyDefinition
  ) throws -> Bool {
    guard members.allSatisfy({ $0.registry === registry && isDestination($0, of: property) }) else {
      return false
    }
    try context?.loadForConnecting(self, slot: property.slot, to: members)
    // The mapping of the inverse has usually set the relationship already. Setting it again would save the
    // object again.
    if isConnected(to: members, by: property) { return true }
    if property.isToMany {
      writeMembers(members, slot: property.slot)
    } else {
      writeReference(members.first, slot: property.slot)
    }
    return true
  }

  private func isConnected(to members: [NSManagedObject], by property: PropertyDefinition) -> Bool {
    guard let graph = context?.graph else { return false }
    if !property.isToMany {
      return graph.reference(self, slot: property.slot) == members.first?.key
    }
    let keys = graph.memberKeys(self, slot: property.slot)
    if keys.isEmpty || members.isEmpty { return keys.isEmpty && members.isEmpty }
    let wanted = members.map(\.key)
    return property.relationship?.isOrdered == true ? keys == wanted : Set(keys) == Set(wanted)
  }
}
