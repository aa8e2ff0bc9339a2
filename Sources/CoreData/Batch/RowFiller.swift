// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Writes dictionaries, whose keys are attribute names, into rows.
struct RowFiller {
  /// A dictionary key, with the slot and the slot kind of the attribute that it names; the slot is −1 if the
  /// key does not name a persistent attribute.
  private struct Name {
    let text: String
    let slot: Int
    let kind: SlotKind
  }
  private let entity: EntityDefinition
  private let reportsNamedSlots: Bool
  /// The index of the block's first row within the request, for error messages.
  var firstRow = 0
  /// The last key seen at each position of a dictionary's iteration.
  ///
  /// The dictionaries of one source usually list their keys in the same order, and comparing a key is cheaper
  /// than looking it up.
  private var names: [Name] = []

  init(_ entity: EntityDefinition, reportsNamedSlots: Bool) {
    self.entity = entity
    self.reportsNamedSlots = reportsNamedSlots
  }

  /// Writes a dictionary's values into a row.
  ///
  /// A key that names neither a persistent attribute nor a relationship is ignored.
  ///
  /// - Returns: the slots of the attributes that the dictionary names; an empty set if `reportsNamedSlots` is
  ///   false.
  /// - Throws: `NSCoreDataError` (134060) if a value cannot be converted to its attribute's type, or if a key
  ///   names a relationship.
  mutating func fill(
    _ chunk: RowChunk,
    _ row: Int,
    from dictionary: [String: Any]
  ) throws -> SlotSet {
    var named = SlotSet()
    var index = 0
    for (key, value) in dictionary {
      let name = try name(key, at: index)
      index += 1
      if name.slot < 0 { continue }
      if reportsNamedSlots { named.insert(name.slot) }
      if Self.writeFast(value, name, to: chunk, row: row) { continue }
      try write(value, name, to: chunk, row: row)
    }
    return named
  }

  mutating func fill(
    _ chunk: RowChunk,
    _ row: Int,
    from dictionary: NSDictionary
  ) throws -> SlotSet {
    var named = SlotSet()
    var index = 0
    for (key, value) in dictionary {
      guard let key = key as? String else { continue }
      let name = try name(key, at: index)
      index += 1
      if name.slot < 0 { continue }
      if reportsNamedSlots { named.insert(name.slot) }
      try write(value, name, to: chunk, row: row)
    }
    return named
  }

  // MARK: Names

  @inline(__always)
  private mutating func name(_ text: String, at index: Int) throws -> Name {
    if index < names.count, names[index].text == text { return names[index] }
    return try lookUp(text, at: index)
  }

  @inline(never)
  private mutating func lookUp(_ text: String, at index: Int) throws -> Name {
    var slot = -1
    if let property = entity.property(named: text) {
      if property.relationship != nil { throw Self.relationshipError(property, of: entity) }
      if property.isStored { slot = property.slot }
    }
    let kind = slot < 0 ? SlotKind.none : entity.rowLayout.kinds[slot]
    let name = Name(text: text, slot: slot, kind: kind)
    if index < names.count { names[index] = name } else { names.append(name) }
    return name
  }

  static func relationshipError(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) -> NSError {
    coreDataError(
      NSCoreDataError,
      "The batch insert cannot be executed.",
      "\(entity.name).\(property.name) is a relationship, and a batch insert can set only attributes. "
        + "Set the relationship on the objects afterwards and save the context. A to-one relationship whose "
        + "inverse is not a to-one can also be set with a batch update."
    )
  }

  // MARK: Values

  /// Writes a value of one of the most common Swift types into a slot of the matching kind; returns false,
  /// without writing, for any other value or slot.
  @inline(__always)
  private static func writeFast(
    _ value: Any,
    _ name: Name,
    to chunk: RowChunk,
    row: Int
  ) -> Bool {
    switch name.kind {
    case .text:
      guard type(of: value) == String.self, let text = value as? String else { return false }
      chunk.setText(row, name.slot, text)
    case .integer:
      guard type(of: value) == Int.self, let number = value as? Int else { return false }
      chunk.setInteger(row, name.slot, Int64(number))
    case .double:
      guard type(of: value) == Double.self, let number = value as? Double else { return false }
      chunk.setDouble(row, name.slot, number)
    case .date:
      guard type(of: value) == Date.self, let date = value as? Date else { return false }
      chunk.setDouble(row, name.slot, date.timeIntervalSinceReferenceDate)
    case .boolean:
      guard type(of: value) == Bool.self, let flag = value as? Bool else { return false }
      chunk.setInteger(row, name.slot, flag ? 1 : 0)
    default: return false
    }
    return true
  }

  private func write(_ value: Any, _ name: Name, to chunk: RowChunk, row: Int) throws {
    let property = entity.properties[name.slot]
    let isNull = value is NSNull || Value(any: value).isNull
    if isNull {
      chunk.setNull(row, name.slot)
    } else if !AttributeWriting.write(value, to: property, of: chunk, row) {
      throw AttributeWriting.unfit(value, property, of: entity, row: firstRow + row)
    }
  }
}
