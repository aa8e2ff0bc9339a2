// SPDX-License-Identifier: Apache-2.0

/// The kind of value in one slot of a row.
package enum SlotKind: UInt8, Sendable {
  /// No value: the slot of a to-many or fetched property.
  ///
  /// Such a property has a slot only so that slots equal property indexes.
  case none
  case integer
  case boolean
  case double
  /// Seconds since 2001-01-01 00:00 UTC.
  case date
  /// The 20 bytes of a `Decimal`, in the arena.
  case decimal
  /// UTF-8 bytes in the arena.
  case text
  /// The absolute string of a URL, as UTF-8 bytes in the arena.
  case url
  /// The 16 bytes of a UUID, in the arena.
  case uuid
  /// The bytes of binary data, in the arena.
  case data
  /// An `ObjectKey`, in the slot itself.
  case reference
  /// The encoded value of a transformable, or the `CompositeRecord` of a composite, in the arena; the managed
  /// object holds the value itself.
  case opaque

  init(_ property: PropertyDefinition) {
    switch property.kind {
    case .fetched: self = .none
    case .relationship(let relationship): self = relationship.isToMany ? .none : .reference
    case .attribute(let attribute): self = SlotKind(attribute.type)
    }
  }

  /// Creates the kind of an attribute's slot from the type of the attribute.
  package init(_ type: AttributeType) { self = type.traits.slot }

  /// Whether the slot's word is an offset and a length in the arena.
  package var isInArena: Bool {
    switch self {
    case .none, .integer, .boolean, .double, .date, .reference: false
    case .decimal, .text, .url, .uuid, .data, .opaque: true
    }
  }
}

/// The layout of the rows of a `RowChunk`: header words with the version and null bits, then one word for
/// each property.
///
/// The word of a to-many or fetched property is unused. Properties after the last property with a value have
/// no word.
///
/// Word 0 holds the version in its low half and the null bits of slots 0...31 in its high half. The following
/// header words hold the null bits of the slots from 32 on.
package struct RowLayout: Sendable {
  package let kinds: [SlotKind]
  /// The number of words before the first slot.
  package let headerWords: Int
  /// The number of words in a row.
  package let stride: Int

  package init(_ properties: [PropertyDefinition]) {
    self.init(kinds: properties.map(SlotKind.init))
  }

  package init(kinds: [SlotKind]) {
    self.kinds = kinds
    headerWords = 1 + (max(0, kinds.count - 32) + 63) / 64
    stride = headerWords + (kinds.lastIndex { $0 != .none }.map { $0 + 1 } ?? 0)
  }
}
