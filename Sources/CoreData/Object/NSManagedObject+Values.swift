// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

extension NSManagedObject {
  package final func property(_ key: String) -> PropertyDefinition? {
    entityDefinition.property(named: key)
  }

  // MARK: Reading

  func modelledValue(_ key: String) -> Any? {
    guard let property = property(key) else {
      guard let value = managedValue(key) else { return value(forUndefinedKey: key) }
      return value is NSNull ? nil : value
    }
    return value(of: property)
  }

  func primitiveModelledValue(_ key: String) -> Any? {
    guard let property = property(key) else { return modelledValue(key) }
    checkQueue(property.slot, "primitiveValueForKey")
    return isUnrealized ? nil : unreportedValue(of: property)
  }

  final func value(of property: PropertyDefinition) -> Any? {
    if isWatched { reportAccess(property.slot) }
    return unreportedValue(of: property)
  }

  private final func unreportedValue(of property: PropertyDefinition) -> Any? {
    if property.isToMany { return memberSet(property.slot) }
    if property.isToOne { return reference(property.slot) }
    if property.isFetched { return fetchedObjects(property) }
    return attributeValue(property)
  }

  private final func attributeValue(_ property: PropertyDefinition) -> Any? {
    realize(for: property.slot)
    if let object = detail?.objects[property.slot] { return object }
    guard let chunk, !chunk.isNull(rowIndex, property.slot) else { return nil }
    if chunk.layout.kinds[property.slot] == .opaque {
      let object = Transformable.object(from: Data(chunk.bytes(rowIndex, property.slot)), property)
      detailCreatingIfNeeded.objects[property.slot] = object
      return object
    }
    return chunk.value(rowIndex, property.slot).any
  }

  func keyedModelledValue(_ key: String) throws -> Value {
    guard let property = property(key) else {
      switch key {
      case "self", "SELF": return .object(self)
      case "objectID": return .key(self.key)
      default:
        if let value = managedValue(key) { return Value(any: value).evaluated }
        if let compute = Self.computedProperties[key] { return Value(any: compute(self)) }
        throw UnknownKey(key: key, owner: entityDefinition.name)
      }
    }
    checkQueue(property.slot, "valueForKey")
    return keyedValue(of: property)
  }

  final func keyedValue(of property: PropertyDefinition) -> Value {
    if property.isToMany {
      let ordered = property.relationship?.isOrdered ?? false
      return .collection(
        ValueCollection(ordered ? .orderedSet : .set, members(property.slot).map { .object($0) })
      )
    }
    if property.isToOne { return reference(property.slot).map { .object($0) } ?? .null }
    if property.isFetched {
      let objects = fetchedObjects(property) ?? []
      return .collection(ValueCollection(.array, objects.map { .object($0) }))
    }
    realize()
    guard let chunk else { return .null }
    if chunk.layout.kinds[property.slot] == .opaque { return Value(any: attributeValue(property)) }
    return chunk.value(rowIndex, property.slot)
  }

  @inline(__always)
  final func realize(for slot: Int? = nil) {
    if isUnrealized { realizeFault(for: slot) }
  }

  final func reference(_ slot: Int) -> NSManagedObject? {
    realize()
    guard let chunk, !chunk.isNull(rowIndex, slot) else { return nil }
    guard let context else { return detail?.objects[slot] as? NSManagedObject }
    return context.object(for: chunk.key(rowIndex, slot))
  }

  final func members(_ slot: Int) -> [NSManagedObject] {
    checkQueue(slot, "valueForKey")
    guard let context else { return detail?.objects[slot] as? [NSManagedObject] ?? [] }
    return context.members(of: self, slot: slot)
  }

  final func memberSet(_ slot: Int) -> Any? {
    let members = members(slot)
    return entityDefinition.properties[slot].relationship?.isOrdered == true
      ? NSOrderedSet(array: members) : Self.set(members)
  }

  final class func set(_ objects: [NSManagedObject]) -> NSSet {
    objects.withUnsafeBufferPointer { objects in
      // References to objects of all classes have the same layout. This initialiser avoids an array of `Any`,
      // whose elements Foundation would inspect.
      objects.withMemoryRebound(to: AnyObject.self) {
        NSSet(objects: $0.baseAddress, count: $0.count)
      }
    }
  }

  // MARK: Writing

  func setModelledValue(_ value: Any?, _ key: String) {
    guard let property = property(key) else {
      setValue(value, forUndefinedKey: key)
      return
    }
    if property.isToMany {
      setMembers(value, property)
    } else if property.isToOne {
      setReference(value, property)
    } else {
      setAttribute(value, property)
    }
  }

  private func setAttribute(_ value: Any?, _ property: PropertyDefinition) {
    watching(property.slot) {
      let place = willWrite(property.slot)
      write(value, property, at: place)
    }
  }

  func setPrimitiveModelledValue(_ value: Any?, _ key: String) {
    guard let property = property(key) else {
      setValue(value, forUndefinedKey: key)
      return
    }
    checkQueue(property.slot, "setPrimitiveValue:forKey")
    guard let context else { return setModelledValue(value, key) }
    if property.isToMany {
      let members = destinations(value, property)
      context.graph.setMembersUntracked(self, slot: property.slot, to: members.map(\.key))
      return
    }
    guard let place = context.graph.willWriteUntracked(self, slot: property.slot) else { return }
    if !property.isToOne {
      write(value, property, at: place)
    } else if let destination = destination(value, property) {
      place.chunk.setKey(place.row, property.slot, destination.key)
    } else {
      place.chunk.setNull(place.row, property.slot)
    }
  }

  private func write(
    _ value: Any?,
    _ property: PropertyDefinition,
    at place: ChunkRow
  ) {
    let value = value is NSNull ? nil : value
    if place.chunk.layout.kinds[property.slot] == .opaque {
      detailCreatingIfNeeded.objects[property.slot] = value
      guard let value else { return place.chunk.setNull(place.row, property.slot) }
      if property.isTransient { return }
      guard let data = Transformable.data(from: value, property) else {
        if Transformable.missing(property) != nil {
          // The transformer is not registered. Empty data marks the value, and the save looks for the
          // transformer again.
          place.chunk.setValue(place.row, property.slot, .data(Data()))
          return
        }
        // A composite accepts only dictionaries with the names of its elements. For other attributes, the
        // save rejects a value that cannot be archived.
        if property.attribute?.type == .composite {
          Misuse.unacceptableValue(value, property: property, of: self)
        }
        return place.chunk.setNull(place.row, property.slot)
      }
      if data.isEmpty, property.attribute?.type == .composite {
        detailCreatingIfNeeded.objects[property.slot] = nil
        return place.chunk.setNull(place.row, property.slot)
      }
      place.chunk.setValue(place.row, property.slot, .data(data))
    } else if !place.chunk.setValue(place.row, property.slot, Value(any: value)) {
      Misuse.unacceptableValue(value, property: property, of: self)
    }
  }

  // MARK: Stored data

  /// Returns the stored data of a transformable attribute without decoding it; nil if the value is nil.
  func storedData(of property: PropertyDefinition) -> Data? {
    realize(for: property.slot)
    guard let chunk, !chunk.isNull(rowIndex, property.slot) else { return nil }
    return Data(chunk.bytes(rowIndex, property.slot))
  }

  /// Sets a transformable attribute to stored data, which is decoded when the value is read.
  func setStoredData(_ data: Data, of property: PropertyDefinition) {
    watching(property.slot) {
      let place = willWrite(property.slot)
      detail?.objects[property.slot] = nil
      place.chunk.setValue(place.row, property.slot, .data(data))
    }
  }

  // MARK: Default objects

  /// Sets the transformable, composite and undefined attributes of a new object to the model's own default
  /// objects, without recording changes.
  ///
  /// Source: documented, “NSAttributeDescription.defaultValue” (MOD-7).
  func setDefaultObjects() {
    for (slot, value) in frozenModel.opaqueDefaults[key.entity] {
      guard let place = context?.graph.willWriteUntracked(self, slot: slot) else { continue }
      write(value, entityDefinition.properties[slot], at: place)
    }
  }

  /// Sets the default objects of transient attributes after a fault has fired, because transient attributes
  /// are not stored.
  func setTransientDefaultObjects() {
    for (slot, value) in frozenModel.opaqueDefaults[key.entity]
    where entityDefinition.properties[slot].isTransient && detail?.objects[slot] == nil {
      detailCreatingIfNeeded.objects[slot] = value
    }
  }

  private func setReference(_ value: Any?, _ property: PropertyDefinition) {
    writeReference(destination(value, property), slot: property.slot)
  }

  final func writeReference(_ destination: NSManagedObject?, slot: Int) {
    if let context {
      if let destination, destination.registry !== registry {
        Misuse.crossesContexts(entityDefinition.properties[slot].name, self, destination)
      }
      context.graph.setReference(self, slot: slot, to: destination)
    } else {
      // An object in no context stores the destination itself, and the inverse is not updated.
      watching(slot) {
        detailCreatingIfNeeded.objects[slot] = destination
        if let destination {
          chunk?.setKey(rowIndex, slot, destination.key)
        } else {
          chunk?.setNull(rowIndex, slot)
        }
      }
    }
  }

  private func destination(_ value: Any?, _ property: PropertyDefinition) -> NSManagedObject? {
    guard let value, !(value is NSNull) else { return nil }
    guard let object = value as? NSManagedObject, isDestination(object, of: property) else {
      Misuse.unacceptableValue(value, property: property, of: self)
    }
    return object
  }

  final func isDestination(_ object: NSManagedObject, of property: PropertyDefinition) -> Bool {
    guard let relationship = property.relationship else { return false }
    return object.registry.model === registry.model
      && registry.model.entities[relationship.destination].family.contains(object.key.entity)
  }

  private func setMembers(_ value: Any?, _ property: PropertyDefinition) {
    writeMembers(destinations(value, property), slot: property.slot)
  }

  /// Returns the managed objects of a collection; members that are not managed objects are left out.
  ///
  /// Stops the program if the value is not a collection, or if an object is not of the destination entity.
  private func destinations(
    _ value: Any?,
    _ property: PropertyDefinition
  ) -> [NSManagedObject] {
    let members: [NSManagedObject]
    switch value {
    case nil, is NSNull: members = []
    case let set as NSOrderedSet: members = set.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: members = set.allObjects.compactMap { $0 as? NSManagedObject }
    case let set as Set<NSManagedObject>: members = Array(set)
    case let array as [NSManagedObject]: members = array
    case let set as Set<AnyHashable>: members = set.compactMap { $0.base as? NSManagedObject }
    default: Misuse.unacceptableValue(value, property: property, of: self)
    }
    guard members.allSatisfy({ isDestination($0, of: property) }) else {
      Misuse.unacceptableValue(value, property: property, of: self)
    }
    return members
  }

  final func writeMembers(_ members: [NSManagedObject], slot: Int) {
    guard let context else {
      watching(slot) { detailCreatingIfNeeded.objects[slot] = members }
      return
    }
    for member in members where member.registry !== registry {
      Misuse.crossesContexts(entityDefinition.properties[slot].name, self, member)
    }
    context.graph.setMembers(self, slot: slot, to: members)
  }

  // MARK: Access and change notifications

  func announceAccess(_ key: String?) {
    checkQueue("willAccessValueForKey:")
    let property = key.flatMap { self.property($0) }
    context?.graph.realize(self, for: property?.slot)
    if let property { reportAccess(property.slot) }
  }

  func announceChange(_ key: String) {
    guard let property = property(key) else { return }
    if isWatched { reportWillChange(property.slot) }
    context?.graph.announceChange(self, slot: property.slot)
  }

  func finishChange(_ key: String) {
    checkQueue("didChangeValueForKey:")
    guard let property = property(key) else {
      if !Self.contextShouldIgnoreUnmodeledPropertyChanges { context?.graph.markUpdated(self) }
      return
    }
    context?.graph.finishChange(self, slot: property.slot)
    if isWatched { reportDidChange(property.slot) }
  }
}
