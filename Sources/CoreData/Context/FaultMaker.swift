// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// Makes the faults of one context, with each entity's class looked up once.
final class FaultMaker {
  /// What a fault starts with; the initialiser that is called to make it takes it from the context.
  struct Seed {
    // Unsafe: the context holds the registry for as long as it makes faults.
    unowned(unsafe) let registry: ObjectRegistry
    let key: ObjectKey
    let flags: ObjectFlags
  }
  private struct Kind {
    let type: NSManagedObject.Type
    let entity: Unmanaged<NSEntityDescription>
    let flags: ObjectFlags
  }
  /// The context owns its maker; unmanaged, so that making a fault counts no reference to it.
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

  /// Looks classes up again where some were registered since.
  func refresh() {
    let current = ManagedObjectClasses.generation
    if current == generation { return }
    generation = current
    kinds = Array(repeating: nil, count: kinds.count)
  }

  /// A fault of the key's class, not registered.
  func make(_ key: ObjectKey) -> NSManagedObject {
    let kind = kinds[key.entity] ?? look(up: key.entity)
    return context._withUnsafeGuaranteedRef { context in
      context.seed = Seed(registry: registry, key: key, flags: kind.flags)
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
  /// Registers the objects together; those that are registered already stay so.
  func register(all objects: [NSManagedObject]) {
    objects.withUnsafeBufferPointer { objects in
      // Every managed object is one of the graph's, and references to objects have one layout.
      objects.withMemoryRebound(to: GraphObject.self) { register($0) }
    }
  }
}
