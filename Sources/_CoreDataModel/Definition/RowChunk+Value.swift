// SPDX-License-Identifier: Apache-2.0

import Foundation

extension RowChunk {
  /// Returns the value of a slot; `.null` for a null slot, for a to-many or fetched property, and for a URL
  /// slot whose string is not a URL.
  ///
  /// The value of an opaque slot is its bytes as `.data`: the encoded value of a transformable, or the
  /// `CompositeRecord` of a composite.
  package func value(_ row: Int, _ slot: Int) -> Value {
    if isNull(row, slot) { return .null }
    switch layout.kinds[slot] {
    case .none: return .null
    case .integer: return .int(integer(row, slot))
    case .boolean: return .bool(integer(row, slot) != 0)
    case .double: return .double(double(row, slot))
    case .date: return .date(double(row, slot))
    case .reference: return .key(key(row, slot))
    case .text: return .text(text(row, slot))
    case .url: return URL(string: text(row, slot)).map(Value.url) ?? .null
    case .data, .opaque: return .data(Data(bytes(row, slot)))
    case .uuid:
      var uuid = UUID().uuid
      withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes(row, slot).prefix(16)) }
      return .uuid(UUID(uuid: uuid))
    case .decimal:
      var decimal = Decimal()
      withUnsafeMutableBytes(of: &decimal) { $0.copyBytes(from: bytes(row, slot).prefix($0.count)) }
      return .decimal(decimal)
    }
  }

  /// Writes a value to a slot and returns true; returns false without writing if the value does not fit the
  /// slot.
  ///
  /// Numbers and Booleans are converted to the slot's kind, as Core Data does: an integer slot truncates
  /// fractions, and conversions to or from floating-point numbers may lose precision. A decimal does not fit
  /// a Boolean slot. A `Double` or decimal that is outside the range of `Int64` or is not a number does not
  /// fit an integer slot, and such a `Double` does not fit a Boolean slot.
  @discardableResult
  package func setValue(_ row: Int, _ slot: Int, _ value: Value) -> Bool {
    switch (layout.kinds[slot], value) {
    case (_, .null): setNull(row, slot)
    case (.integer, .int(let number)): setInteger(row, slot, number)
    case (.integer, .bool(let flag)), (.boolean, .bool(let flag)):
      setInteger(row, slot, flag ? 1 : 0)
    case (.boolean, .int(let number)): setInteger(row, slot, number)
    case (.integer, .double(let number)), (.boolean, .double(let number)):
      guard let whole = Int64(exactly: number.rounded(.towardZero)) else { return false }
      setInteger(row, slot, whole)
    case (.double, .double(let number)), (.date, .date(let number)): setDouble(row, slot, number)
    case (.double, .int(let number)): setDouble(row, slot, Double(number))
    case (.double, .bool(let flag)): setDouble(row, slot, flag ? 1 : 0)
    case (.double, .decimal(let number)):
      setDouble(row, slot, NSDecimalNumber(decimal: number).doubleValue)
    case (.integer, .decimal(let number)):
      guard let whole = Int64(truncating: number) else { return false }
      setInteger(row, slot, whole)
    case (.reference, .key(let key)): setKey(row, slot, key)
    case (.text, .text(let text)): setText(row, slot, text)
    case (.url, .url(let url)): setText(row, slot, url.absoluteString)
    case (.data, .data(let data)), (.opaque, .data(let data)):
      data.withUnsafeBytes { setBytes(row, slot, $0) }
    case (.uuid, .uuid(let uuid)):
      withUnsafeBytes(of: uuid.uuid) { setBytes(row, slot, $0) }
    case (.decimal, .decimal(let number)): setDecimal(row, slot, number)
    case (.decimal, .int(let number)): setDecimal(row, slot, Decimal(number))
    case (.decimal, .double(let number)): setDecimal(row, slot, Decimal(number))
    case (.decimal, .bool(let flag)): setDecimal(row, slot, flag ? 1 : 0)
    default: return false
    }
    return true
  }

  /// Copies one slot from a row of another chunk with the same layout.
  package func copySlot(_ slot: Int, to row: Int, from other: RowChunk, _ otherRow: Int) {
    copyValue(to: (row, slot), from: other, (otherRow, slot))
  }

  /// Copies a value from a slot of another chunk; both slots must have the same kind.
  package func copyValue(
    to place: (row: Int, slot: Int),
    from other: RowChunk,
    _ source: (row: Int, slot: Int)
  ) {
    if other.isNull(source.row, source.slot) {
      setNull(place.row, place.slot)
    } else if layout.kinds[place.slot].isInArena {
      setBytes(place.row, place.slot, other.bytes(source.row, source.slot))
    } else {
      setWord(place.row, place.slot, other.word(source.row, source.slot))
    }
  }

  package func setDecimal(_ row: Int, _ slot: Int, _ number: Decimal) {
    withUnsafeBytes(of: number) { setBytes(row, slot, $0) }
  }

  /// Whether two slots are equal: both null, equal words, or equal bytes.
  package func slotEquals(_ row: Int, _ slot: Int, of other: RowChunk, row otherRow: Int) -> Bool {
    let null = isNull(row, slot)
    if null != other.isNull(otherRow, slot) { return false }
    if null { return true }
    if !layout.kinds[slot].isInArena { return word(row, slot) == other.word(otherRow, slot) }
    let left = bytes(row, slot)
    let right = other.bytes(otherRow, slot)
    return left.count == right.count && left.elementsEqual(right)
  }
}

extension Int64 {
  /// Creates the integer part of a decimal; nil if the decimal is not a number or is out of range.
  fileprivate init?(truncating number: Decimal) {
    // The description of a decimal has no exponent, so the digits before the point are the integer part.
    self.init(number.description.prefix { $0 != "." })
  }
}
