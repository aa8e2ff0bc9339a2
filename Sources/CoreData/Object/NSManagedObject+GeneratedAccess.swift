// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// The methods that generated accessors call. Not intended to be called directly.
///
/// A property is identified by its slot or, if the model's slots differ from those of the class, by its name.
extension NSManagedObject {
  /// Prepares a read like `prepared(_:_:_:)`, and returns the property's slot in the current model, or nil if
  /// the value is null.
  @inline(never)
  final func readable(_ slot: Int, _ key: StaticString, _ kinds: AccessorKinds) -> Int? {
    let slot = prepared(slot, key, kinds)
    guard let chunk, !chunk.isNull(rowIndex, slot) else { return nil }
    return slot
  }

  /// Returns the property's slot in the current model; `kinds` are the kinds of properties that the accessor
  /// can read and write.
  @inline(__always)
  final func aligned(_ slot: Int, _ key: StaticString, _ kinds: AccessorKinds) -> Int {
    isMisaligned ? slotByName(key, kinds) : slot
  }

  /// Fires the fault, reports the access to observers, and returns the property's slot in the current model.
  final func prepared(_ slot: Int, _ key: StaticString, _ kinds: AccessorKinds) -> Int {
    let slot = aligned(slot, key, kinds)
    realize(for: slot)
    if isWatched { reportAccess(slot) }
    return slot
  }

  @inline(never)
  final func slotByName(_ key: StaticString, _ kinds: AccessorKinds) -> Int {
    let name = key.description
    guard let slot = entityDefinition.slotByName[name] else {
      Misuse.accessorWithoutProperty(name, of: self)
    }
    guard AccessorKinds(entityDefinition.properties[slot]).isSubset(of: kinds) else {
      Misuse.accessorOfAnotherType(name, of: self)
    }
    return slot
  }

  @inline(__always)
  private final func bits(_ slot: Int, _ key: StaticString, _ kinds: AccessorKinds) -> UInt64? {
    switch word(slot) {
    case .word(let word): word
    case .null: nil
    case .slow: slowBits(slot, key, kinds)
    }
  }

  @inline(never)
  private final func slowBits(_ slot: Int, _ key: StaticString, _ kinds: AccessorKinds) -> UInt64? {
    presentWord(prepared(slot, key, kinds))
  }

  @inline(__always)
  final func integer(_ slot: Int, _ key: StaticString) -> Int64? {
    bits(slot, key, .numbers).map { Int64(bitPattern: $0) }
  }

  @inline(__always)
  private final func double(_ slot: Int, _ key: StaticString) -> Double? {
    bits(slot, key, .reals).map { Double(bitPattern: $0) }
  }

  @inline(never)
  private final func slowText(_ slot: Int, _ key: StaticString) -> String? {
    presentText(prepared(slot, key, .text))
  }

  private final func object(_ slot: Int, _ key: StaticString, _ kinds: AccessorKinds) -> Any? {
    guard let slot = readable(slot, key, kinds) else { return nil }
    return value(of: entityDefinition.properties[slot])
  }

  // MARK: Reading

  /// Returns the value of an Integer 16 attribute; 0 for nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> Int16 {
    Int16(truncatingIfNeeded: integer(slot, key) ?? 0)
  }
  /// Returns the value of an Integer 32 attribute; 0 for nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> Int32 {
    Int32(truncatingIfNeeded: integer(slot, key) ?? 0)
  }
  /// Returns the value of an Integer 64 attribute; 0 for nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> Int64 { integer(slot, key) ?? 0 }
  /// Returns the value of a Boolean attribute; false for nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> Bool { integer(slot, key) ?? 0 != 0 }
  /// Returns the value of a Double attribute; 0 for nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> Double { double(slot, key) ?? 0 }
  /// Returns the value of a Float attribute; 0 for nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> Float {
    Float(double(slot, key) ?? 0)
  }
  /// Returns the `timeIntervalSinceReferenceDate` of a Date attribute; 0 for nil.
  public final func _readInterval(_ slot: Int, _ key: StaticString) -> TimeInterval {
    double(slot, key) ?? 0
  }
  /// Returns the value of a String attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> String? {
    switch text(slot) {
    case .text(let text): text
    case .null: nil
    case .slow: slowText(slot, key)
    }
  }
  /// Returns the value of a Date attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> Date? {
    double(slot, key).map { Date(timeIntervalSinceReferenceDate: $0) }
  }
  /// Returns the value of a Binary Data attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> Data? {
    guard let slot = readable(slot, key, .data) else { return nil }
    return chunk.map { Data($0.bytes(rowIndex, slot)) }
  }
  /// Returns the value of a UUID attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> UUID? {
    object(slot, key, .uuid) as? UUID
  }
  /// Returns the value of a URI attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> URL? {
    object(slot, key, .url) as? URL
  }
  /// Returns the value of a Decimal attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> NSDecimalNumber? {
    guard let slot = readable(slot, key, .decimal),
      case .decimal(let decimal) = chunk?.value(rowIndex, slot)
    else { return nil }
    return NSDecimalNumber(decimal: decimal)
  }
  /// Returns the value of a numeric or Boolean attribute as an `NSNumber`, or nil.
  public final func _readNumber(_ slot: Int, _ key: StaticString) -> NSNumber? {
    guard let slot = readable(slot, key, .wholeAndReal) else { return nil }
    return switch chunk?.value(rowIndex, slot) {
    case .int(let number): NSNumber(value: number)
    case .bool(let flag): NSNumber(value: flag)
    case .double(let number): NSNumber(value: number)
    case .decimal(let number): NSDecimalNumber(decimal: number)
    default: nil
    }
  }
  /// Returns the value of a Transformable attribute; nil if the value is nil or not of type `T`.
  public final func _readTransformable<T>(_ slot: Int, _ key: StaticString) -> T? {
    value(of: entityDefinition.properties[prepared(slot, key, .any)]) as? T
  }
  /// Returns the destination of a to-one relationship; nil if there is no destination, or the destination is
  /// not of class `T`.
  public final func _readReference<T: NSManagedObject>(_ slot: Int, _ key: StaticString) -> T? {
    if isWatched { reportAccess(aligned(slot, key, .toOne)) }
    return reference(aligned(slot, key, .toOne)) as? T
  }
  /// Returns the members of a to-many relationship; never nil.
  public final func _readSet(_ slot: Int, _ key: StaticString) -> NSSet? {
    if isWatched { reportAccess(aligned(slot, key, .toMany)) }
    return Self.set(members(aligned(slot, key, .toMany)))
  }
  /// Returns the members of an ordered to-many relationship, in order; never nil.
  public final func _readOrderedSet(_ slot: Int, _ key: StaticString) -> NSOrderedSet? {
    if isWatched { reportAccess(aligned(slot, key, .toMany)) }
    return NSOrderedSet(array: members(aligned(slot, key, .toMany)))
  }

  // MARK: Writing

  @inline(__always)
  private final func put(
    _ slot: Int,
    _ key: StaticString,
    _ kinds: AccessorKinds,
    body: (RowChunk, Int, Int) -> Void
  ) {
    if writesSlowly { return putSlowly(slot, key, kinds, body: body) }
    let place = willWrite(slot)
    body(place.chunk, place.row, slot)
  }

  @inline(never)
  private final func putSlowly(
    _ slot: Int,
    _ key: StaticString,
    _ kinds: AccessorKinds,
    body: (RowChunk, Int, Int) -> Void
  ) {
    let slot = aligned(slot, key, kinds)
    watching(slot) {
      let place = willWrite(slot)
      body(place.chunk, place.row, slot)
    }
  }

  /// Sets an Integer 16 attribute.
  public final func _write(_ value: Int16, _ slot: Int, _ key: StaticString) {
    put(slot, key, .numbers) { $0.setInteger($1, $2, Int64(value)) }
  }
  /// Sets an Integer 32 attribute.
  public final func _write(_ value: Int32, _ slot: Int, _ key: StaticString) {
    put(slot, key, .numbers) { $0.setInteger($1, $2, Int64(value)) }
  }
  /// Sets an Integer 64 attribute.
  public final func _write(_ value: Int64, _ slot: Int, _ key: StaticString) {
    put(slot, key, .numbers) { $0.setInteger($1, $2, value) }
  }
  /// Sets a Boolean attribute.
  public final func _write(_ value: Bool, _ slot: Int, _ key: StaticString) {
    put(slot, key, .numbers) { $0.setInteger($1, $2, value ? 1 : 0) }
  }
  /// Sets a Double attribute.
  public final func _write(_ value: Double, _ slot: Int, _ key: StaticString) {
    put(slot, key, .reals) { $0.setDouble($1, $2, value) }
  }
  /// Sets a Float attribute.
  public final func _write(_ value: Float, _ slot: Int, _ key: StaticString) {
    put(slot, key, .reals) { $0.setDouble($1, $2, Double(value)) }
  }
  /// Sets a Date attribute to the date with the given `timeIntervalSinceReferenceDate`.
  public final func _writeInterval(_ value: TimeInterval, _ slot: Int, _ key: StaticString) {
    put(slot, key, .reals) { $0.setDouble($1, $2, value) }
  }
  /// Sets a String attribute to a value or nil.
  public final func _write(_ value: String?, _ slot: Int, _ key: StaticString) {
    put(slot, key, .text) { chunk, row, slot in
      if let value { chunk.setText(row, slot, value) } else { chunk.setNull(row, slot) }
    }
  }
  /// Sets a Date attribute to a value or nil.
  public final func _write(_ value: Date?, _ slot: Int, _ key: StaticString) {
    put(slot, key, .date) { chunk, row, slot in
      if let value {
        chunk.setDouble(row, slot, value.timeIntervalSinceReferenceDate)
      } else {
        chunk.setNull(row, slot)
      }
    }
  }
  /// Sets a Binary Data attribute to a value or nil.
  public final func _write(_ value: Data?, _ slot: Int, _ key: StaticString) {
    put(slot, key, .data) { $0.setValue($1, $2, value.map(Value.data) ?? .null) }
  }
  /// Sets a UUID attribute to a value or nil.
  public final func _write(_ value: UUID?, _ slot: Int, _ key: StaticString) {
    put(slot, key, .uuid) { $0.setValue($1, $2, value.map(Value.uuid) ?? .null) }
  }
  /// Sets a URI attribute to a value or nil.
  public final func _write(_ value: URL?, _ slot: Int, _ key: StaticString) {
    put(slot, key, .url) { $0.setValue($1, $2, value.map(Value.url) ?? .null) }
  }
  /// Sets a Decimal attribute to a value or nil.
  public final func _write(_ value: NSDecimalNumber?, _ slot: Int, _ key: StaticString) {
    put(slot, key, .decimal) {
      $0.setValue($1, $2, value.map { .decimal($0.decimalValue) } ?? .null)
    }
  }
  /// Sets a numeric or Boolean attribute to a value or nil.
  public final func _writeNumber(_ value: NSNumber?, _ slot: Int, _ key: StaticString) {
    put(slot, key, .wholeAndReal) { $0.setValue($1, $2, Value(any: value)) }
  }
  /// Sets a Transformable attribute to a value or nil.
  public final func _writeTransformable<T>(_ value: T?, _ slot: Int, _ key: StaticString) {
    setModelledValue(value, entityDefinition.properties[aligned(slot, key, .any)].name)
  }
  /// Sets the destination of a to-one relationship; nil removes the destination.
  ///
  /// In a context, also updates the inverse.
  public final func _writeReference(_ value: NSManagedObject?, _ slot: Int, _ key: StaticString) {
    writeReference(value, slot: aligned(slot, key, .toOne))
  }
  /// Sets the members of a to-many relationship; nil removes all members.
  ///
  /// In a context, also updates the inverse.
  public final func _writeSet(_ value: NSSet?, _ slot: Int, _ key: StaticString) {
    setModelledValue(value, entityDefinition.properties[aligned(slot, key, .any)].name)
  }
  /// Sets the members of an ordered to-many relationship; nil removes all members.
  ///
  /// In a context, also updates the inverse.
  public final func _writeOrderedSet(_ value: NSOrderedSet?, _ slot: Int, _ key: StaticString) {
    setModelledValue(value, entityDefinition.properties[aligned(slot, key, .any)].name)
  }

  // MARK: To-manys

  /// Adds an object to a to-many relationship; does nothing if the object is already a member.
  public final func _add(_ value: NSManagedObject, _ slot: Int, _ key: StaticString) {
    insertMember(value, at: nil, slot: aligned(slot, key, .toMany))
  }
  /// Removes an object from a to-many relationship; does nothing if the object is not a member.
  public final func _remove(_ value: NSManagedObject, _ slot: Int, _ key: StaticString) {
    removeMember(value, slot: aligned(slot, key, .toMany))
  }
  /// Adds the members of a set to a to-many relationship.
  public final func _add(_ values: NSSet, _ slot: Int, _ key: StaticString) {
    addMembers(values.allObjects, slot: aligned(slot, key, .toMany))
  }
  /// Removes the members of a set from a to-many relationship.
  public final func _remove(_ values: NSSet, _ slot: Int, _ key: StaticString) {
    removeMembers(values.allObjects, slot: aligned(slot, key, .toMany))
  }
  /// Appends objects to an ordered to-many relationship; objects that are already members keep their places.
  public final func _add(_ values: NSOrderedSet, _ slot: Int, _ key: StaticString) {
    addMembers(values.array, slot: aligned(slot, key, .toMany))
  }
  /// Removes objects from an ordered to-many relationship; objects that are not members are ignored.
  public final func _remove(_ values: NSOrderedSet, _ slot: Int, _ key: StaticString) {
    removeMembers(values.array, slot: aligned(slot, key, .toMany))
  }
  /// Inserts an object into an ordered to-many relationship, unless the object is already a member; an index
  /// out of bounds stops the program.
  public final func _insert(
    _ value: NSManagedObject,
    at index: Int,
    _ slot: Int,
    _ key: StaticString
  ) {
    insertMember(value, at: index, slot: aligned(slot, key, .toMany))
  }
  /// Inserts objects into an ordered to-many relationship, each at its index, in ascending order of the
  /// indexes; objects that are already members keep their places.
  ///
  /// An index out of bounds stops the program.
  public final func _insert(
    _ values: [NSManagedObject],
    at indexes: NSIndexSet,
    _ slot: Int,
    _ key: StaticString
  ) {
    var position = 0
    for index in indexes where position < values.count {
      insertMember(values[position], at: index, slot: aligned(slot, key, .toMany))
      position += 1
    }
  }
  /// Removes the member at an index of an ordered to-many relationship; an index out of bounds stops the
  /// program.
  public final func _removeObject(at index: Int, _ slot: Int, _ key: StaticString) {
    removeMember(members(aligned(slot, key, .toMany))[index], slot: aligned(slot, key, .toMany))
  }
  /// Removes the members at the indexes of an ordered to-many relationship; an index out of bounds stops the
  /// program.
  public final func _removeObjects(at indexes: NSIndexSet, _ slot: Int, _ key: StaticString) {
    let members = members(aligned(slot, key, .toMany))
    for index in indexes { removeMember(members[index], slot: aligned(slot, key, .toMany)) }
  }
  /// Replaces the member at an index of an ordered to-many relationship; an index out of bounds stops the
  /// program.
  public final func _replace(
    at index: Int,
    with value: NSManagedObject,
    _ slot: Int,
    _ key: StaticString
  ) {
    var members = members(aligned(slot, key, .toMany))
    members[index] = value
    writeMembers(members, slot: aligned(slot, key, .toMany))
  }
  /// Replaces the members at the indexes of an ordered to-many relationship with one member for each
  /// index; an index out of bounds stops the program.
  public final func _replace(
    at indexes: NSIndexSet,
    with values: [NSManagedObject],
    _ slot: Int,
    _ key: StaticString
  ) {
    var members = members(aligned(slot, key, .toMany))
    for (index, value) in zip(indexes, values) { members[index] = value }
    writeMembers(members, slot: aligned(slot, key, .toMany))
  }
}

extension NSManagedObject {
  final func insertMember(_ member: NSManagedObject, at index: Int?, slot: Int) {
    guard let context else {
      var members = members(slot)
      if !members.contains(where: { $0 === member }) {
        members.insert(member, at: index ?? members.count)
      }
      writeMembers(members, slot: slot)
      return
    }
    let property = entityDefinition.properties[slot]
    if member.registry !== registry { Misuse.crossesContexts(property.name, self, member) }
    guard isDestination(member, of: property) else {
      Misuse.unacceptableValue(member, property: property, of: self)
    }
    context.graph.insert(member, into: self, slot: slot, at: index)
  }

  final func removeMember(_ member: NSManagedObject, slot: Int) {
    guard let context else {
      writeMembers(members(slot).filter { $0 !== member }, slot: slot)
      return
    }
    context.graph.remove(member, from: self, slot: slot)
  }

  private func addMembers(_ members: [Any], slot: Int) {
    for case let member as NSManagedObject in members {
      insertMember(member, at: nil, slot: slot)
    }
  }

  private func removeMembers(_ members: [Any], slot: Int) {
    for case let member as NSManagedObject in members { removeMember(member, slot: slot) }
  }
}
