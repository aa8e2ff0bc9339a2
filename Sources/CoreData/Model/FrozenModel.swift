// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation
import Synchronization

/// A model in use: the core's definition, and the shell's descriptions by its indexes.
///
/// Belongs to its `NSManagedObjectModel`; safe on any thread.
package final class FrozenModel: @unchecked Sendable {
  // Unchecked: immutable, the class table and the hashes have locks of their own, and descriptions are frozen.
  package let definition: ModelDefinition
  /// By entity index.
  package let entities: [NSEntityDescription]
  /// By entity index and slot.
  package let properties: [[NSPropertyDescription]]
  /// By entity index: slots of the properties with validation predicates.
  let predicateSlots: [[Int]]
  private let modules: [String]
  private let reference = BackReference<FrozenModel>()
  /// What objects of the model need; see `ModelObjectSupport`.
  let support = ModelObjectSupport()
  private let classes: Mutex<ClassTable>

  private let computedHashes = Mutex<ModelHashes?>(nil)

  private struct ClassTable {
    var generation: Int
    var types: [NSManagedObject.Type?]
  }

  /// - Throws: `ModelError`.
  init(_ model: NSManagedObjectModel) throws {
    let definition = try ModelDefinition(model.draft())
    let byName = model.entitiesByName
    self.definition = definition
    // Left out, a description would shift the indexes of those behind it.
    entities = definition.entities.map { entity in
      guard let description = byName[entity.name] else { Misuse.modelChanged(entity.name, nil) }
      return description
    }
    properties = zip(definition.entities, entities).map { entity, description in
      let table = PropertyTables(description.properties).properties
      return entity.properties.map { property in
        guard let found = table[property.name] else {
          Misuse.modelChanged(entity.name, property.name)
        }
        return found
      }
    }
    predicateSlots = properties.map { list in
      list.indices.filter { !list[$0].validationPredicates.isEmpty }
    }
    modules = model.classModules
    classes = Mutex(
      ClassTable(generation: -1, types: Array(repeating: nil, count: definition.entities.count))
    )
    reference.set(self)
    for (index, entity) in entities.enumerated() {
      entity.frozenTables = PropertyTables(entity.properties)
      entity.frozenIndex = index
      entity.frozenReference = reference
    }
  }

  deinit { reference.clear() }

  /// The version hashes, computed at the first call.
  var hashes: ModelHashes {
    computedHashes.withLock { known in
      if let known { return known }
      let hashes = ModelHashes(model: definition)
      known = hashes
      return hashes
    }
  }

  /// The class of an entity's objects; `NSManagedObject` where its own is not found (yet).
  ///
  /// - Complexity: O(1), but for the first call and the first after a class was registered.
  package func managedObjectClass(at index: Int) -> NSManagedObject.Type {
    classes.withLock { table in
      let generation = ManagedObjectClasses.generation
      if table.generation != generation {
        for entity in definition.entities where table.types[entity.index] == nil {
          table.types[entity.index] = ManagedObjectClasses.resolve(
            entity.className,
            modules: modules
          )
        }
        table.generation = generation
      }
      return table.types[index] ?? NSManagedObject.self
    }
  }

  /// The entity of objects of `type`: the one whose class it is; nil for none or several.
  package func entity(ofClass type: NSManagedObject.Type) -> NSEntityDescription? {
    let matches = entities.filter { managedObjectClass(at: $0.frozenIndex) == type }
    return matches.count == 1 ? matches[0] : nil
  }
}
