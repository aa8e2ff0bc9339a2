// SPDX-License-Identifier: Apache-2.0

/// What one slot of a row holds.
package enum SlotKind: UInt8, Sendable {
  /// Nothing: to-many and fetched properties keep their place so that a slot equals a property index.
  case none
  case integer
  case boolean
  case double
  /// Seconds since 2001-01-01 00:00 UTC.
  case date
  /// The 20 bytes of a `Decimal`, in the arena.
  case decimal
  /// UTF-8 in the arena.
  case text
  /// The absolute string in the arena.
  case url
  /// 16 bytes in the arena.
  case uuid
  case data
  /// An `ObjectKey`.
  case reference
  /// The archived bytes of a transformable; the live object is the owner's.
  case opaque

  init(_ property: PropertyDefinition) {
    switch property.kind {
    case .fetched: self = .none
    case .relationship(let relationship): self = relationship.isToMany ? .none : .reference
    case .attribute(let attribute): self = SlotKind(attribute.type)
    }
  }

  /// What a slot of an attribute of the type holds.
  package init(_ type: AttributeType) { self = type.traits.slot }

  /// Whether the slot's word is an offset and a length in the arena.
  package var isInArena: Bool {
    switch self {
    case .none, .integer, .boolean, .double, .date, .reference: false
    case .decimal, .text, .url, .uuid, .data, .opaque: true
    }
  }
}

/// How a row lies in a `RowChunk`: one word of version and null bits, further null words, then one
/// word for each property.
///
/// Word 0 holds the version in its low half and the null bits of slots 0...31 in its high half;
/// slots from 32 on have their null bits in the following words.
package struct RowLayout: Sendable {
  package let kinds: [SlotKind]
  /// Words before the first slot.
  package let headerWords: Int
  /// Words in a row.
  package let stride: Int

  package init(_ properties: [PropertyDefinition]) {
    self.init(kinds: properties.map(SlotKind.init))
  }

  package init(kinds: [SlotKind]) {
    self.kinds = kinds
    headerWords = 1 + (max(0, kinds.count - 32) + 63) / 64
    // Slots at the end that hold nothing have no word.
    stride = headerWords + (kinds.lastIndex { $0 != .none }.map { $0 + 1 } ?? 0)
  }
}
