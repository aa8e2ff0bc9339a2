// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// Creates the faults of one context; caches the class of each entity.
final class FaultMaker {
  /// The initial state of a fault, which the initialiser of the fault reads from the context.
  struct InitialState {
    // Unsafe: the context retains the registry while it creates faults.
    unowned(unsafe) let registry: ObjectRegistry
    let key: ObjectKey
    let flags: ObjectFlags
  }
  private struct Kind {
    let type: NSManagedObject.Type
    let entity: Unmanaged<NSEntityDescription>
    let flags: ObjectFlags
  }
  /// Unmanaged, so that creating a fault does not retain the context, which owns this object.
  private let context: Unmanaged<NSManagedObjectContext>
  private let model: FrozenModel
  private let registry: ObjectRegistry
  @exclusivity(unchecked) private var kinds: [Kind?]
  @exclusivity(unchecked) private var generation = -1

  init(_ context: NSManagedObjectContext, _ model: FrozenModel, _ registry: ObjectRegistry) {
    self.context = .passUnretained(context)
    self.model = model
    self.registry = registry
    kinds = Array(repeating: nil, count: model.entities.count)
  }

  /// Discards the cached classes if classes have been registered since the last call.
  func refresh() {
    let current = ManagedObjectClasses.generation
    if current == generation { return }
    generation = current
    kinds = Array(repeating: nil, count: kinds.count)
  }

  /// Creates a fault for the key, as an instance of its entity's class, and does not register the fault.
  func make(_ key: ObjectKey) -> NSManagedObject {
    let kind = kinds[key.entity] ?? look(up: key.entity)
    return context._withUnsafeGuaranteedRef { context in
      context.faultState = InitialState(registry: registry, key: key, flags: kind.flags)
      return kind.entity._withUnsafeGuaranteedRef {
        kind.type.init(entity: $0, insertInto: context)
      }
    }
  }

  private func look(up index: Int) -> Kind {
    let type = model.managedObjectClass(at: index)
    let kind = Kind(
      type: type,
      entity: .passUnretained(model.entities[index]),
      flags: model.flags(of: type, at: index).union(.fault)
    )
    kinds[index] = kind
    return kind
  }
}

extension ObjectRegistry {
  /// Registers the objects together; skips objects that are already registered.
  func register(all objects: [NSManagedObject]) {
    objects.withUnsafeBufferPointer { objects in
      // Every managed object is a `GraphObject`, and references to both have the same layout.
      objects.withMemoryRebound(to: GraphObject.self) { register($0) }
    }
  }
}
