// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSManagedObject {
  /// Returns the names and values of the persistent properties whose values differ from those of the last
  /// fetch or save.
  ///
  /// Nil values are returned as `NSNull`.
  ///
  /// For a new object, returns the properties whose values differ from the model's default values, including
  /// values set with `setPrimitiveValue(_:forKey:)`. The result is empty for an object in no context.
  ///
  /// Source: documented, “changedValues()”.
  public func changedValues() -> [String: Any] {
    checkQueue("changedValues()")
    guard let context else { return [:] }
    return values(of: context.graph.differingSlots(self, except: opaqueDefaultSlots)) {
      !$0.isTransient
    }
  }

  /// Implements `hasPersistentChangedValues`.
  var hasChangedSlots: Bool {
    checkQueue("hasPersistentChangedValues")
    guard let context else { return false }
    let slots = context.graph.differingSlots(self, except: opaqueDefaultSlots)
    return slots.contains { !entityDefinition.properties[$0].isTransient }
  }

  /// The slots that still have the model's default object, compared by identity.
  private var opaqueDefaultSlots: SlotSet {
    var slots = SlotSet()
    for (slot, value) in frozenModel.opaqueDefaults[key.entity]
    where detail?.objects[slot] as AnyObject? === value as AnyObject { slots.insert(slot) }
    return slots
  }

  /// Returns the names and values of the properties set since pending changes were last processed.
  ///
  /// Nil values are returned as `NSNull`.
  ///
  /// For an object inserted since that time, properties that have the model's default value are left out.
  /// Empty for an object in no context.
  public func changedValuesForCurrentEvent() -> [String: Any] {
    checkQueue("changedValuesForCurrentEvent()")
    guard let context else { return [:] }
    let isNew = flags.contains(.insertedInEvent)
    let slots = isNew ? context.graph.changedSlots(self) : detail?.changedInEvent ?? SlotSet()
    return values(of: slots) { _ in true }
  }

  /// Returns the values of the given properties as of the last fetch or save, with nil as `NSNull`.
  ///
  /// If `keys` is nil, returns the values of all persistent properties.
  ///
  /// Returns an empty dictionary for a new object and for an object in no context, because these have no
  /// committed values. Names in `keys` that are not persistent properties are ignored.
  public func committedValues(forKeys keys: [String]?) -> [String: Any] {
    checkQueue("committedValues(forKeys:)")
    guard let context, !isInserted else { return [:] }
    realize()
    var values: [String: Any] = [:]
    for property in entityDefinition.properties where !property.isTransient {
      if let keys, !keys.contains(property.name) { continue }
      values[property.name] = committedValue(property, context)
    }
    return values
  }

  private func committedValue(
    _ property: PropertyDefinition,
    _ context: NSManagedObjectContext
  ) -> Any {
    guard let place = context.graph.committedRow(self) else { return NSNull() }
    if property.isToMany {
      context.graph.loadToMany(self, slot: property.slot)
      let position = context.graph.toManyPosition(self, property.slot)
      let stored = context.objects(for: detail?.toManys[position]?.stored ?? [])
      return property.relationship?.isOrdered == true
        ? NSOrderedSet(array: stored) : NSManagedObject.set(stored)
    }
    if place.chunk.isNull(place.row, property.slot) { return NSNull() }
    if property.isToOne { return context.object(for: place.chunk.key(place.row, property.slot)) }
    if place.chunk.layout.kinds[property.slot] == .opaque {
      let data = Data(place.chunk.bytes(place.row, property.slot))
      let object = Transformable.object(from: data, property)
      if let report = context.validation.reportUndecodable,
        Transformable.isIncomplete(object, data, property)
      {
        report(self, property)
      }
      return object ?? NSNull()
    }
    return place.chunk.value(place.row, property.slot).any ?? NSNull()
  }

  private func values(
    of slots: SlotSet,
    where isIncluded: (PropertyDefinition) -> Bool
  ) -> [String: Any] {
    var values: [String: Any] = [:]
    for slot in slots {
      let property = entityDefinition.properties[slot]
      if isIncluded(property) { values[property.name] = value(of: property) ?? NSNull() }
    }
    return values
  }

  /// Returns whether the relationship has not been read yet: the object is a fault, or the members of the
  /// to-many are not loaded.
  ///
  /// Does not read the relationship. Stops the program if `key` is not a relationship.
  public func hasFault(forRelationshipNamed key: String) -> Bool {
    guard let property = property(key), property.relationship != nil else {
      Misuse.undefinedKey(
        key,
        of: self,
        verb: "hasFaultForRelationshipNamed:",
        wanted: "a relationship"
      )
    }
    checkQueue("hasFault(forRelationshipNamed:)")
    if isFault { return true }
    guard property.isToMany, let context else { return false }
    let position = context.graph.toManyPosition(self, property.slot)
    return !(detail?.toManys[position]?.isLoaded ?? false)
  }

  /// Returns the IDs of a relationship's destinations without realising the destinations.
  ///
  /// For a to-one, the array has at most one ID. Stops the program if `key` is not a relationship.
  /// - Complexity: at most one statement.
  public func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    guard let property = property(key), property.relationship != nil else {
      Misuse.undefinedKey(
        key,
        of: self,
        verb: "objectIDsForRelationshipNamed:",
        wanted: "a relationship"
      )
    }
    checkQueue("objectIDs(forRelationshipNamed:)")
    guard let context else {
      return property.isToMany
        ? members(property.slot).map(\.objectID)
        : reference(property.slot).map { [$0.objectID] } ?? []
    }
    let keys =
      property.isToMany
      ? context.graph.memberKeys(self, slot: property.slot)
      : context.graph.reference(self, slot: property.slot).map { [$0] } ?? []
    return keys.map { context.id(for: $0) }
  }

  func describe() -> String {
    let head = "<\(type(of: self))> (entity: \(entityDefinition.name); id: \(objectID)"
    if isFault { return head + "; data: <fault>)" }
    let values = entityDefinition.properties.map { property -> String in
      if property.isToMany { return "    \(property.name) = \"<relationship fault>\";" }
      let value: Any? =
        property.isToOne ? reference(property.slot)?.objectID : self.value(of: property)
      return "    \(property.name) = \(value.map { "\($0)" } ?? "nil");"
    }
    return head + "; data: {\n" + values.joined(separator: "\n") + "\n})"
  }
}
