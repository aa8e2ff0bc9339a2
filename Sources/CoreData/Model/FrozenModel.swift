// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// A model in use: the core's definition, and Apple's descriptions at the same indexes.
///
/// A frozen model belongs to its `NSManagedObjectModel` and can be used on any thread.
package final class FrozenModel: @unchecked Sendable {
  // Unchecked: the class is immutable and its descriptions are frozen; the class table and the hashes are
  // guarded by locks.
  package let definition: ModelDefinition
  /// The entities, by their index in `definition`.
  package let entities: [NSEntityDescription]
  /// The properties, by entity index and slot.
  package let properties: [[NSPropertyDescription]]
  /// The slots of properties with validation predicates, by entity index.
  let predicateSlots: [[Int]]
  private let modules: [String]
  private let reference = BackReference<FrozenModel>()
  let support = ModelObjectSupport()
  private let classes: Mutex<ClassTable>

  /// By entity index, the slots and the default values of attributes whose default value cannot be stored in
  /// a row.
  let opaqueDefaults: [[(slot: Int, value: Any)]]
  private let isForTools: Bool
  private let computedHashes = Mutex<ModelHashes?>(nil)

  private struct ClassTable {
    var generation: Int
    var types: [NSManagedObject.Type?]
    /// The indexes of the entities whose missing class has already been reported.
    var missing: SlotSet
  }

  /// Builds the definition from the descriptions of `model`, which are immutable from now on.
  ///
  /// - Throws: `ModelError` if the descriptions do not form a valid model.
  init(_ model: NSManagedObjectModel) throws {
    let definition = try ModelDefinition(model.draft())
    let byName = model.entitiesByName
    self.definition = definition
    // Skipping a missing description would shift the indexes of the descriptions after it.
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
    opaqueDefaults = definition.entities.map { entity in
      entity.properties.compactMap { property in
        guard case .opaque(let value)? = property.attribute?.defaultValue else { return nil }
        return (property.slot, value)
      }
    }
    isForTools = model.isForTools
    modules = model.classModules
    classes = Mutex(
      ClassTable(
        generation: -1,
        types: Array(repeating: nil, count: definition.entities.count),
        missing: SlotSet()
      )
    )
    reference.set(self)
    for (index, entity) in entities.enumerated() {
      entity.frozenTables = PropertyTables(entity.properties)
      entity.frozenIndex = index
      entity.frozenReference = reference
    }
  }

  deinit { reference.clear() }

  var hashes: ModelHashes {
    computedHashes.withLock { known in
      if let known { return known }
      let hashes = ModelHashes(model: definition)
      known = hashes
      return hashes
    }
  }

  /// Returns the class of an entity's objects; `NSManagedObject` if `classIfRegistered(at:)` returns nil.
  ///
  /// A class that is not found is reported once, unless the model is for tools.
  ///
  /// - Complexity: O(1), except for the first call and for the first call after a class was registered.
  package func managedObjectClass(at index: Int) -> NSManagedObject.Type {
    if let type = classIfRegistered(at: index) { return type }
    let entity = definition.entities[index]
    if let name = entity.className, name != "NSManagedObject", !isForTools {
      let isFirst = classes.withLock { table in
        if table.missing.contains(index) { return false }
        table.missing.insert(index)
        return true
      }
      if isFirst { ModelWarnings.missingClass(name, of: entity.name) }
    }
    return NSManagedObject.self
  }

  /// Returns the entity's own class; nil if the entity names no class, the class is not found, or the model
  /// is for tools.
  ///
  /// - Complexity: the same as that of `managedObjectClass(at:)`.
  package func classIfRegistered(at index: Int) -> NSManagedObject.Type? {
    if isForTools { return nil }
    return classes.withLock { table in
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
      return table.types[index]
    }
  }

  /// Returns the entity whose class is `type`; nil if no entity or more than one entity has this class.
  package func entity(ofClass type: NSManagedObject.Type) -> NSEntityDescription? {
    let matches = entities.filter {
      (classIfRegistered(at: $0.frozenIndex) ?? NSManagedObject.self) == type
    }
    return matches.count == 1 ? matches[0] : nil
  }
}
