// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import _CoreDataModel

/// Makes and changes objects of any model, so that what it leaves can be saved.
struct FixtureEditor {
  let context: NSManagedObjectContext
  let model: ModelDefinition
  /// Every object that was made here.
  private(set) var made: [NSManagedObject] = []
  private var completed = 0

  init(_ context: NSManagedObjectContext, _ model: ModelDefinition) {
    self.context = context
    self.model = model
  }

  struct Failure: Error { let message: String }

  func definition(_ object: NSManagedObject) throws -> EntityDefinition {
    guard let name = object.entity.name, let found = model.entity(named: name) else {
      throw Failure(message: "an object of an entity that the model does not have")
    }
    return found
  }

  // MARK: New objects

  /// One of each concrete entity, whole, and related to each other.
  mutating func insertAll() throws {
    for entity in model.entities where !entity.isAbstract { make(entity) }
    try complete()
    for object in made {
      for property in try definition(object).properties {
        guard let relationship = lasting(property) else { continue }
        let wanted = relationship.isToMany ? 2 : 1
        while count(object, property) < wanted {
          var partner = freePartner(for: object, property, relationship)
          if partner == nil, relationship.inverse == nil {
            partner = make(model.entities[relationship.destination])
          }
          guard let partner else { break }
          link(object, property, partner)
        }
      }
    }
    try complete()
  }

  /// A new object with values, without relationships; nil where every class of the family is abstract.
  @discardableResult
  mutating func make(_ family: EntityDefinition) -> NSManagedObject? {
    guard let index = family.family.first(where: { !model.entities[$0].isAbstract }) else {
      return nil
    }
    let entity = model.entities[index]
    let object = NSEntityDescription.insertNewObject(forEntityName: entity.name, into: context)
    made.append(object)
    for property in entity.properties {
      guard let attribute = property.attribute, attribute.derivation == nil, !property.isTransient
      else { continue }
      setValue(attribute.sampleValue(made.count), of: property, in: object)
    }
    return object
  }

  /// Leaves an optional value alone that the model's own conditions refuse.
  private func setValue(_ value: Any?, of property: PropertyDefinition, in object: NSManagedObject)
  {
    var value = value
    do {
      try object.validateValue(&value, forKey: property.name)
      object.setValue(value, forKey: property.name)
    } catch {}
  }

  /// Gives the objects made so far what they must have.
  mutating func complete() throws {
    while completed < made.count {
      let object = made[completed]
      completed += 1
      for property in try definition(object).properties {
        guard let relationship = lasting(property) else { continue }
        let wanted =
          property.isOptional ? 0 : relationship.isToMany ? relationship.minCount : 1
        while count(object, property) < wanted {
          guard made.count < 3000,
            let partner = freePartner(for: object, property, relationship, sharing: true)
              ?? make(model.entities[relationship.destination])
          else { throw Failure(message: "\(object.entity.name ?? "").\(property.name)") }
          link(object, property, partner)
        }
      }
    }
  }

  // MARK: Relationships

  /// Nil for what a store does not keep, and where the two sides contradict each other, as in a few
  /// models.
  func lasting(_ property: PropertyDefinition) -> RelationshipDefinition? {
    guard !property.isTransient, let relationship = property.relationship else { return nil }
    guard let inverse = relationship.inverse else { return relationship }
    let back = model.entities[relationship.destination].properties[inverse].relationship
    return back?.inverse == property.slot ? relationship : nil
  }

  func count(_ object: NSManagedObject, _ property: PropertyDefinition) -> Int {
    guard property.isToMany else { return object.value(forKey: property.name) == nil ? 0 : 1 }
    return members(object, property).count
  }

  func members(_ object: NSManagedObject, _ property: PropertyDefinition) -> [NSManagedObject] {
    switch object.value(forKey: property.name) {
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    default: []
    }
  }

  func link(
    _ object: NSManagedObject,
    _ property: PropertyDefinition,
    _ partner: NSManagedObject
  ) {
    if property.isToOne {
      object.setValue(partner, forKey: property.name)
    } else if property.relationship?.isOrdered == true {
      object.mutableOrderedSetValue(forKey: property.name).insert(partner, at: 0)
    } else {
      object.mutableSetValue(forKey: property.name).add(partner)
    }
  }

  /// A new object that nobody loses: not a member yet, and its own to-one still empty.
  private func freePartner(
    for object: NSManagedObject,
    _ property: PropertyDefinition,
    _ relationship: RelationshipDefinition,
    sharing: Bool = false
  ) -> NSManagedObject? {
    let destination = model.entities[relationship.destination]
    let present = property.isToMany ? members(object, property) : []
    return made.first { candidate in
      guard candidate !== object, let entity = try? definition(candidate),
        entity.isKind(of: destination), !present.contains(candidate)
      else { return false }
      // Without an inverse nobody would tell a second owner that the partner has been deleted; but a
      // mandatory one would need new objects without end.
      guard let inverse = relationship.inverse else {
        return sharing && property.isToOne && relationship.deleteRule != .cascade
      }
      let back = destination.properties[inverse]
      if back.isToOne { return candidate.value(forKey: back.name) == nil }
      let most = back.relationship?.maxCount ?? 0
      return most == 0 || count(candidate, back) < most
    }
  }
}

// MARK: - Stored objects

extension FixtureEditor {
  /// Changes a value of a stored object and each of its relationships, without harming what it
  /// leaves.
  mutating func update(_ object: NSManagedObject) throws {
    let entity = try definition(object)
    let fixed = Set(entity.uniquenessConstraints.joined())
    let attribute = entity.properties.first { property in
      property.isStored && property.attribute?.derivation == nil && property.attribute != nil
        && property.attribute?.type != .transformable && !fixed.contains(property.name)
    }
    if let attribute, let sample = attribute.attribute?.sampleValue(made.count + 17) {
      setValue(sample, of: attribute, in: object)
    }
    for property in entity.properties where !fixed.contains(property.name) {
      guard let relationship = lasting(property) else { continue }
      if property.isToOne {
        try renew(object, property, relationship)
      } else {
        try change(object, property, relationship)
      }
    }
    try complete()
  }

  /// Leads a to-one to a new object, where the former one can do without.
  private mutating func renew(
    _ object: NSManagedObject,
    _ property: PropertyDefinition,
    _ relationship: RelationshipDefinition
  ) throws {
    let former = object.value(forKey: property.name) as? NSManagedObject
    guard try former.map({ try canLose($0, relationship) }) ?? true,
      let partner = make(model.entities[relationship.destination])
    else { return }
    link(object, property, partner)
  }

  /// Takes a member out, puts a new one in front, and turns the order round.
  private mutating func change(
    _ object: NSManagedObject,
    _ property: PropertyDefinition,
    _ relationship: RelationshipDefinition
  ) throws {
    let members = members(object, property)
    let isFull = relationship.maxCount > 0 && members.count >= relationship.maxCount
    if members.count > 1, let member = members.last, try canLose(member, relationship) {
      if relationship.isOrdered {
        object.mutableOrderedSetValue(forKey: property.name).remove(member)
      } else {
        object.mutableSetValue(forKey: property.name).remove(member)
      }
    } else if isFull {
      return
    }
    if relationship.isOrdered {
      let current = self.members(object, property)
      object.setValue(NSOrderedSet(array: current.reversed()), forKey: property.name)
    }
    if let partner = make(model.entities[relationship.destination]) {
      link(object, property, partner)
    }
  }

  /// Whether a save allows the object when its side of the relationship is taken away.
  private func canLose(
    _ object: NSManagedObject,
    _ relationship: RelationshipDefinition
  ) throws -> Bool {
    guard (try? context.existingObject(with: object.objectID)) != nil,
      (try? object.validateForUpdate()) != nil
    else { return false }
    guard let inverse = relationship.inverse else { return true }
    let back = try definition(object).properties[inverse]
    if back.isToOne { return back.isOptional }
    return back.isOptional && (back.relationship?.minCount ?? 0) < 2
  }
}
