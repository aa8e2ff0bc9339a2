// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Synchronization
import _CoreDataGraph
import _CoreDataModel

/// What objects need of a model in use: where unmanaged ones belong, and which classes fit its slots.
final class ModelObjectSupport: Sendable {
  // Unchecked: the registry is safe on any thread.
  private struct State: @unchecked Sendable {
    weak var registry: ObjectRegistry?
    var flags: [ClassKey: ObjectFlags] = [:]
    var validators: [ObjectIdentifier: [String: NSManagedObject.Validator]] = [:]
    /// Class → entity index; classes without an entity are asked again.
    var entities: [ObjectIdentifier: Int] = [:]
  }
  private struct ClassKey: Hashable {
    let type: ObjectIdentifier
    let entity: Int
  }
  private let state = Mutex(State())

  /// The registry of objects that are in no context; it lives as long as one of them.
  func detachedRegistry(_ model: FrozenModel) -> ObjectRegistry {
    state.withLock { state in
      if let registry = state.registry { return registry }
      let made = ObjectRegistry(model: model.definition, companion: model, owner: nil)
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

  /// The flags that every object of the class starts with.
  func flags(_ type: NSManagedObject.Type, _ entity: EntityDefinition) -> ObjectFlags {
    let key = ClassKey(type: ObjectIdentifier(type), entity: entity.index)
    return state.withLock { state in
      if let known = state.flags[key] { return known }
      let names = type._slotNames
      // An entity below the class's own has the class's properties first, in the same order.
      // Accessors in an extension of a class written by hand say slots without naming them.
      let isAligned =
        !names.isEmpty && names.count <= entity.properties.count
        && zip(names, entity.properties).allSatisfy { $0 == $1.name }
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

  /// The flags that objects of the class start with: whether the slots that it was generated for are
  /// not the model's, and whether it tells Swift's Observation.
  func flags(of type: NSManagedObject.Type, at index: Int) -> ObjectFlags {
    support.flags(type, definition.entities[index])
  }

  /// The entity whose objects are of this class.
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
  /// The model in use that the entity belongs to; an entity of no valid model stops the program.
  func frozenForUse() -> FrozenModel {
    if let frozen { return frozen }
    do {
      return try managedObjectModel.freeze()
    } catch {
      Misuse.brokenModel(error)
    }
  }
}

/// The models that coordinators use now, so that a class finds its entity.
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

  /// The entity of `type` in the model that was used last.
  static func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
    let models = entries.withLock { $0.compactMap(\.model) }
    for model in models.reversed() {
      if let entity = model.entity(of: type) { return entity }
    }
    return nil
  }

  /// The entities whose objects are of `type`, or else of a subclass, with the class of each; those of
  /// the model that was used last first.
  static func entities(
    of type: NSManagedObject.Type
  ) -> [(type: NSManagedObject.Type, entity: NSEntityDescription)] {
    let models = entries.withLock { $0.compactMap(\.model) }
    var own: [(NSManagedObject.Type, NSEntityDescription)] = []
    var below: [(NSManagedObject.Type, NSEntityDescription)] = []
    for model in models.reversed() {
      if let entity = model.entity(of: type) { own.append((type, entity)) }
      for entity in model.entities {
        let found = model.knownClass(at: entity.frozenIndex) ?? NSManagedObject.self
        if found == type {
          own.append((found, entity))
        } else if found.inherits(from: type) {
          below.append((found, entity))
        }
      }
    }
    return own.isEmpty ? below : own
  }
}

extension ManagedObjectClasses {
  /// The entity of `type` in a model in use; where there is none, the standard error says so, and the
  /// entity is one of no model.
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
