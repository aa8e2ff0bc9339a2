// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel

/// Fills a store with valid random objects of every entity that is not abstract.
package struct RandomContent {
  private let model: ModelDefinition
  private var random: RandomSteps
  /// The values of each object are derived from its number; the first object's number is `firstNumber` + 1.
  private let firstNumber: Int
  /// The number of objects to create for each entity that is not abstract; 4 by default.
  package var objectsOfEach = 4

  package init(_ model: ModelDefinition, seed: UInt64) {
    self.model = model
    random = RandomSteps(state: seed)
    // At most 9,900, so that the numbers of all objects fit in an Integer 16 attribute.
    firstNumber = Int(seed % 100) * 100
  }

  /// Inserts random objects, saves those that are valid under the model's rules, and returns the number of
  /// saved objects.
  ///
  /// Call this method on the queue of the context, which must be empty.
  /// - Throws: the error of a save if the error does not name the invalid objects, or if invalid objects
  ///   remain after several saves.
  package mutating func fill(_ context: NSManagedObjectContext) throws -> Int {
    var objects: [(object: NSManagedObject, entity: EntityDefinition)] = []
    var number = firstNumber
    for entity in model.entities where !entity.isAbstract {
      for _ in 0..<objectsOfEach {
        number += 1
        let object = NSEntityDescription.insertNewObject(forEntityName: entity.name, into: context)
        set(object, entity, number)
        objects.append((object, entity))
      }
    }
    for (object, entity) in objects { link(object, entity, objects) }
    try saveValid(context)
    return context.registeredObjects.count
  }

  private mutating func set(
    _ object: NSManagedObject,
    _ entity: EntityDefinition,
    _ number: Int
  ) {
    for property in entity.properties where !property.isTransient {
      guard let attribute = property.attribute, attribute.derivation == nil,
        let value = attribute.sampleValue(number)
      else { continue }
      let isUnique = entity.uniquenessConstraints.joined().contains(property.name)
      if property.isOptional, !isUnique, random.below(4) == 0 {
        object.setValue(nil, forKey: property.name)
      } else {
        object.setValue(value, forKey: property.name)
      }
    }
  }

  private mutating func link(
    _ object: NSManagedObject,
    _ entity: EntityDefinition,
    _ objects: [(object: NSManagedObject, entity: EntityDefinition)]
  ) {
    for property in entity.properties where !property.isTransient {
      guard let relationship = property.relationship else { continue }
      let family = model.entities[relationship.destination].family
      let candidates = objects.filter { family.contains($0.entity.index) }.map(\.object)
      if candidates.isEmpty { continue }
      if !relationship.isToMany {
        if object.value(forKey: property.name) != nil { continue }
        let isWanted = !property.isOptional || random.below(3) > 0
        if isWanted {
          object.setValue(candidates[random.below(candidates.count)], forKey: property.name)
        }
        continue
      }
      let most = relationship.maxCount == 0 ? 3 : relationship.maxCount
      let count = min(most, max(relationship.minCount, random.below(4)))
      let inverse = relationship.inverse.map {
        model.entities[relationship.destination].properties[$0]
      }
      for _ in 0..<count {
        let member = candidates[random.below(candidates.count)]
        if let inverse, inverse.isToOne, member.value(forKey: inverse.name) != nil { continue }
        if relationship.isOrdered {
          object.mutableOrderedSetValue(forKey: property.name).add(member)
        } else {
          object.mutableSetValue(forKey: property.name).add(member)
        }
      }
    }
  }

  /// Saves the context; after a failed save, deletes the invalid objects and tries again, up to 12 times.
  private func saveValid(_ context: NSManagedObjectContext) throws {
    for _ in 0..<12 {
      do {
        return try context.save()
      } catch let error as NSError {
        let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        var refused: [NSManagedObject] = []
        for detail in details {
          if let object = detail.userInfo[NSValidationObjectErrorKey] as? NSManagedObject {
            refused.append(object)
          }
          let conflicts = detail.userInfo[NSPersistentStoreSaveConflictsErrorKey]
          for case let conflict as NSConstraintConflict in conflicts as? [Any] ?? [] {
            refused += conflict.conflictingObjects
          }
        }
        if refused.isEmpty { throw error }
        for object in refused where object.managedObjectContext != nil { context.delete(object) }
      }
    }
    try context.save()
  }
}
