// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Additional methods that the accessors of `@NSManaged` properties call. Not intended to be called directly.
///
/// These accessors also call the methods for the accessors of generated classes.
extension NSManagedObject {
  // MARK: Slots

  /// Returns the slot of a property in the model in use.
  ///
  /// Stops the program if the entity has no such property, or if the property's kind is not in `kinds`, a raw
  /// value of `AccessorKinds`.
  /// - Complexity: O(1), a dictionary lookup.
  public final func _slot(_ key: StaticString, _ kinds: UInt16) -> Int {
    slotByName(key, AccessorKinds(rawValue: kinds))
  }

  /// Stops the program with a message that the type of the property does not match the model.
  public final func _stopForMismatch(_ key: StaticString) -> Never {
    Misuse.accessorOfAnotherType(key.description, of: self)
  }

  /// Returns `value`, the value of a property whose type is not optional; stops the program if `value` is
  /// nil.
  public final func _required<T>(_ value: T?, _ key: StaticString) -> T {
    guard let value else {
      if existingWatchers?.recorder != nil {
        Misuse.keyPathOfHiddenType(key.description, T.self, of: self)
      }
      Misuse.requiredValueIsNil(key.description, of: self)
    }
    return value
  }

  // MARK: Attributes

  /// Returns the value of an Integer or Boolean attribute, truncated if it does not fit in `T`; 0 for nil.
  public final func _readInteger<T: FixedWidthInteger>(_ slot: Int, _ key: StaticString) -> T {
    T(truncatingIfNeeded: integer(slot, key) ?? 0)
  }
  /// Sets an Integer or Boolean attribute.
  public final func _writeInteger<T: FixedWidthInteger>(
    _ value: T,
    _ slot: Int,
    _ key: StaticString
  ) {
    _write(Int64(truncatingIfNeeded: value), slot, key)
  }
  /// Returns the value of a Decimal attribute, or nil.
  public final func _readDecimal(_ slot: Int, _ key: StaticString) -> Decimal? {
    (_read(slot, key) as NSDecimalNumber?)?.decimalValue
  }
  /// Sets a Decimal attribute to a value or nil.
  public final func _writeDecimal(_ value: Decimal?, _ slot: Int, _ key: StaticString) {
    _write(value.map { NSDecimalNumber(decimal: $0) }, slot, key)
  }
  /// Returns the value of any property, or nil.
  public final func _readAnything(_ slot: Int, _ key: StaticString) -> Any? {
    value(of: entityDefinition.properties[prepared(slot, key, .any)])
  }
  /// Sets any property to a value or nil.
  public final func _writeAnything(_ value: Any?, _ slot: Int, _ key: StaticString) {
    setModelledValue(value, entityDefinition.properties[aligned(slot, key, .any)].name)
  }

  // MARK: Classes of Foundation

  /// Returns the value of a String attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> NSString? {
    (_read(slot, key) as String?).map { NSString(string: $0) }
  }
  /// Returns the value of a Date attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> NSDate? {
    (_read(slot, key) as Date?).map {
      NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate)
    }
  }
  /// Returns the value of a Binary Data attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> NSData? {
    (_read(slot, key) as Data?).map { NSData(data: $0) }
  }
  /// Returns the value of a UUID attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> NSUUID? {
    (_read(slot, key) as UUID?).flatMap { NSUUID(uuidString: $0.uuidString) }
  }
  /// Returns the value of a URI attribute, or nil.
  public final func _read(_ slot: Int, _ key: StaticString) -> NSURL? {
    (_read(slot, key) as URL?).flatMap { NSURL(string: $0.absoluteString) }
  }
  /// Sets a String attribute to a value or nil.
  public final func _write(_ value: NSString?, _ slot: Int, _ key: StaticString) {
    _write(value.map { String(describing: $0) }, slot, key)
  }
  /// Sets a Date attribute to a value or nil.
  public final func _write(_ value: NSDate?, _ slot: Int, _ key: StaticString) {
    _write(
      value.map { Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) },
      slot,
      key
    )
  }
  /// Sets a Binary Data attribute to a value or nil.
  public final func _write(_ value: NSData?, _ slot: Int, _ key: StaticString) {
    _write(value.map { Data(referencing: $0) }, slot, key)
  }
  /// Sets a UUID attribute to a value or nil.
  public final func _write(_ value: NSUUID?, _ slot: Int, _ key: StaticString) {
    _write(value.flatMap { UUID(uuidString: $0.uuidString) }, slot, key)
  }
  /// Sets a URI attribute to a value or nil.
  public final func _write(_ value: NSURL?, _ slot: Int, _ key: StaticString) {
    _write(value?.absoluteURL, slot, key)
  }

  // MARK: Raw values

  /// Returns the case whose raw value is the value of an Integer attribute; nil if the value is nil or there
  /// is no such case.
  public final func _readRawValue<T: RawRepresentable>(_ slot: Int, _ key: StaticString) -> T?
  where T.RawValue: FixedWidthInteger {
    guard let number = integer(slot, key) else { return nil }
    return T.RawValue(exactly: number).flatMap(T.init(rawValue:)) ?? exampleOfInteger()
  }
  /// Returns the case whose raw value is the value of a String attribute; nil if the value is nil or there is
  /// no such case.
  public final func _readRawValue<T: RawRepresentable>(_ slot: Int, _ key: StaticString) -> T?
  where T.RawValue == String {
    guard let text = _read(slot, key) as String? else { return nil }
    return T(rawValue: text) ?? example()
  }
  /// Returns the case whose raw value is the value of an Integer attribute, where nil counts as 0; stops the
  /// program if there is no such case.
  public final func _readRequiredRawValue<T: RawRepresentable>(
    _ slot: Int,
    _ key: StaticString
  ) -> T where T.RawValue: FixedWidthInteger {
    let number = integer(slot, key) ?? 0
    guard let value = T.RawValue(exactly: number).flatMap(T.init(rawValue:)) ?? exampleOfInteger()
    else { stopForRawValue(number, key, T.self) }
    return value
  }
  /// Returns the case whose raw value is the value of a String attribute; stops the program if the value is
  /// nil or there is no such case.
  public final func _readRequiredRawValue<T: RawRepresentable>(
    _ slot: Int,
    _ key: StaticString
  ) -> T where T.RawValue == String {
    let text: String? = _read(slot, key)
    guard let value = text.flatMap(T.init(rawValue:)) ?? example() else {
      stopForRawValue(text, key, T.self)
    }
    return value
  }
  /// Sets an Integer attribute to the raw value of `value`, or to nil.
  public final func _writeRawValue<T: RawRepresentable>(
    _ value: T?,
    _ slot: Int,
    _ key: StaticString
  ) where T.RawValue: FixedWidthInteger {
    _writeNumber(value.map { NSNumber(value: Int64($0.rawValue)) }, slot, key)
  }
  /// Sets a String attribute to the raw value of `value`, or to nil.
  public final func _writeRawValue<T: RawRepresentable>(
    _ value: T?,
    _ slot: Int,
    _ key: StaticString
  ) where T.RawValue == String {
    _write(value?.rawValue, slot, key)
  }

  // MARK: Objects

  /// Returns the members of a to-many relationship; members that are not of class `T` are left out.
  public final func _readMembers<T: NSManagedObject>(_ slot: Int, _ key: StaticString) -> Set<T> {
    let slot = aligned(slot, key, .toMany)
    if isWatched { reportAccess(slot) }
    return Set(members(slot).lazy.compactMap { $0 as? T })
  }
  /// Sets the members of a to-many relationship; nil removes all members.
  ///
  /// In a context, also updates the inverse.
  public final func _writeMembers<T: NSManagedObject>(
    _ value: Set<T>?,
    _ slot: Int,
    _ key: StaticString
  ) {
    writeMembers(Array(value ?? []), slot: aligned(slot, key, .toMany))
  }
  /// Returns the objects of a fetched property or a to-many relationship; nil if any of them is not of class
  /// `T`.
  public final func _readObjects<T: NSManagedObject>(_ slot: Int, _ key: StaticString) -> [T]? {
    let property = entityDefinition.properties[prepared(slot, key, [.fetched, .toMany])]
    if property.isToMany { return members(property.slot) as? [T] }
    return fetchedObjects(property) as? [T]
  }
  /// Sets the members of a to-many relationship; nil removes all members.
  ///
  /// A fetched property cannot be set.
  public final func _writeObjects<T: NSManagedObject>(
    _ value: [T]?,
    _ slot: Int,
    _ key: StaticString
  ) {
    writeMembers(value ?? [], slot: aligned(slot, key, .toMany))
  }

  // MARK: Primitive values

  /// Returns the primitive value of a property; nil if the value is nil or not of type `T`.
  public final func _readPrimitive<T>(_ key: String) -> T? {
    guard let value = primitiveValue(forKey: key) else { return nil }
    if let value = value as? T { return value }
    return value is NSNumber || value is any BinaryInteger ? number(value) as? T : nil
  }

  private final func number(_ value: Any) -> NSNumber? {
    if let number = value as? NSNumber { return number }
    return (value as? any BinaryInteger).map { NSNumber(value: Int64(truncatingIfNeeded: $0)) }
  }
}

// MARK: - Finding the names of key paths

extension NSManagedObject {
  /// Returns an example case with a raw value between -1 and 255.
  ///
  /// Returns nil if there is no such case, or if this object was not created to find the name of a key path.
  @inline(never)
  private func exampleOfInteger<T: RawRepresentable>() -> T? where T.RawValue: FixedWidthInteger {
    guard let recorder = existingWatchers?.recorder else { return nil }
    let numbers = (-1...255).lazy.compactMap { T.RawValue(exactly: $0) }
    return recorder.example(of: numbers.compactMap(T.init(rawValue:)))
  }

  /// Returns an example case: the first or last case if the enumeration conforms to `CaseIterable`, otherwise
  /// the first case.
  ///
  /// Returns nil if the cases are not known, or if this object was not created to find the name of a key
  /// path.
  @inline(never)
  private func example<T: RawRepresentable>() -> T? where T.RawValue == String {
    guard let recorder = existingWatchers?.recorder else { return nil }
    func cases<Listed: CaseIterable>(_ type: Listed.Type) -> [T] {
      type.allCases.compactMap { $0 as? T }
    }
    if let type = T.self as? any CaseIterable.Type { return recorder.example(of: cases(type)) }
    guard _isPOD(T.self), MemoryLayout<T>.size <= 1 else { return nil }
    // Unsafe: 0 represents the first case of an enumeration without associated values.
    let first = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      return memory.load(as: T.self)
    }
    return recorder.example(of: [first])
  }

  @inline(never)
  private func stopForRawValue(_ value: Any?, _ key: StaticString, _ type: Any.Type) -> Never {
    if existingWatchers?.recorder != nil {
      Misuse.keyPathOfHiddenType(key.description, type, of: self)
    }
    Misuse.rawValueWithoutCase(value, key.description, type, of: self)
  }
}
