// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Synchronization
import _CoreDataGraph
import _CoreDataModel

/// Caches of a model in use: the registry of objects in no context, and facts about the objects' classes.
final class ModelObjectSupport: Sendable {
  // Unchecked: the registry is safe on any thread.
  private struct State: @unchecked Sendable {
    weak var registry: ObjectRegistry?
    var flags: [ClassKey: ObjectFlags] = [:]
    var validators: [ObjectIdentifier: [String: NSManagedObject.Validator]] = [:]
    /// The entity index by class; classes without an entity are looked up each time.
    var entities: [ObjectIdentifier: Int] = [:]
  }
  private struct ClassKey: Hashable {
    let type: ObjectIdentifier
    let entity: Int
  }
  private let state = Mutex(State())

  /// Returns the registry of objects that are in no context.
  ///
  /// Only these objects retain the registry.
  func detachedRegistry(_ model: FrozenModel) -> ObjectRegistry {
    state.withLock { state in
      if let registry = state.registry { return registry }
      let made = ObjectRegistry(model: model.definition, modelObject: model, owner: nil)
      state.registry = made
      return made
    }
  }

  func entity(of type: NSManagedObject.Type) -> Int? {
    state.withLock { $0.entities[ObjectIdentifier(type)] }
  }

  func remember(_ entity: Int, of type: NSManagedObject.Type) {
    state.withLock { $0.entities[ObjectIdentifier(type)] = entity }
  }

  func flags(_ type: NSManagedObject.Type, _ entity: EntityDefinition) -> ObjectFlags {
    let key = ClassKey(type: ObjectIdentifier(type), entity: entity.index)
    return state.withLock { state in
      if let known = state.flags[key] { return known }
      // A hand-written class whose accessors are in an extension has no table of slots that could be compared
      // with the model's, so the objects of such a class count as misaligned.
      let isAligned = ManagedAccessorTables.areSlotsValid(of: type, for: entity)
      var flags: ObjectFlags = isAligned ? [] : .misaligned
      if type is any Observable.Type { flags.insert(.tracked) }
      if Confinement.isChecked { flags.insert(.confined) }
      state.flags[key] = flags
      return flags
    }
  }

  func validators(of type: NSManagedObject.Type) -> [String: NSManagedObject.Validator] {
    state.withLock { state in
      if let known = state.validators[ObjectIdentifier(type)] { return known }
      let made = type.validators
      state.validators[ObjectIdentifier(type)] = made
      return made
    }
  }
}

extension FrozenModel {
  package var detachedRegistry: ObjectRegistry { support.detachedRegistry(self) }

  /// Returns the initial flags of the objects of a class and an entity: whether the slots of generated
  /// accessors differ from the model's, whether the objects are observable with Swift's Observation, and
  /// whether the use of the right queue is checked.
  func flags(of type: NSManagedObject.Type, at index: Int) -> ObjectFlags {
    support.flags(type, definition.entities[index])
  }

  /// Returns the entity that a generated class names or, if there is no such entity in the model, the only
  /// entity with this class.
  ///
  /// Returns nil if the class names no entity of the model, and no entity or more than one has the class.
  func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
    if let known = support.entity(of: type) { return entities[known] }
    ManagedObjectClasses.register(type)
    let index =
      type._entityName.flatMap { definition.indexByName[$0] } ?? entity(ofClass: type)?.frozenIndex
    guard let index else { return nil }
    support.remember(index, of: type)
    return entities[index]
  }
}

extension NSEntityDescription {
  /// Returns the frozen form of the entity's model; the model is immutable after this call.
  ///
  /// Stops the program if the entity belongs to no model, or if the model is not valid.
  func frozenForUse() -> FrozenModel {
    if let frozen { return frozen }
    do {
      return try managedObjectModel.freeze()
    } catch {
      Misuse.brokenModel(error)
    }
  }
}

/// The models in memory for which a coordinator was created.
///
/// The entity of a class is looked up in these models.
enum LiveModels {
  // Unchecked: the model is safe on any thread.
  private struct Entry: @unchecked Sendable {
    weak var model: FrozenModel?
  }
  private static let entries = Mutex<[Entry]>([])

  static func add(_ model: FrozenModel) {
    entries.withLock { entries in
      entries.removeAll { $0.model == nil || $0.model === model }
      entries.append(Entry(model: model))
    }
  }

  /// Returns the entity of `type` in a model that has exactly one such entity; nil if there is no such model.
  ///
  /// Of several such models, the one for which a coordinator was created last is used.
  static func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
    let models = entries.withLock { $0.compactMap(\.model) }
    for model in models.reversed() {
      if let entity = model.entity(of: type) { return entity }
    }
    return nil
  }

  struct Match {
    let type: NSManagedObject.Type
    let entity: NSEntityDescription
    /// Retained, because an entity does not retain its model, and another thread may release the model.
    private let model: FrozenModel

    fileprivate init(
      _ type: NSManagedObject.Type,
      _ entity: NSEntityDescription,
      of model: FrozenModel
    ) {
      (self.type, self.entity, self.model) = (type, entity, model)
    }
  }

  /// Returns the entities whose objects are of `type` or, if there are no such entities, the entities whose
  /// objects are of a subclass of `type`.
  ///
  /// The entities of the model for which a coordinator was created last come first. An entity can be listed
  /// twice.
  static func entities(of type: NSManagedObject.Type) -> [Match] {
    let models = entries.withLock { $0.compactMap(\.model) }
    var own: [Match] = []
    var below: [Match] = []
    for model in models.reversed() {
      if let entity = model.entity(of: type) { own.append(Match(type, entity, of: model)) }
      for entity in model.entities {
        let found = model.classIfRegistered(at: entity.frozenIndex) ?? NSManagedObject.self
        if found == type {
          own.append(Match(found, entity, of: model))
        } else if found.inherits(from: type) {
          below.append(Match(found, entity, of: model))
        }
      }
    }
    return own.isEmpty ? below : own
  }
}

extension ManagedObjectClasses {
  /// Returns the entity of `type` in a model in use.
  ///
  /// If no model in use has exactly one such entity, Apple's message is written to standard error and the
  /// returned entity belongs to no model.
  static func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
    if let entity = LiveModels.entity(of: type) { return entity }
    Diagnostics.error(
      "No NSEntityDescriptions in any model claim the NSManagedObject subclass '\(type)' so +entity is "
        + "confused. Have you loaded your NSManagedObjectModel yet ?"
    )
    let entity = NSEntityDescription()
    entity.managedObjectClassName = name(of: type)
    return entity
  }
}
