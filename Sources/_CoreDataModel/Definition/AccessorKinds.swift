// SPDX-License-Identifier: Apache-2.0

/// A set of property kinds, such as the kinds that an accessor can read and write without a conversion.
///
/// Generated code contains the raw values, so they must not change.
package struct AccessorKinds: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates a set with the kind of one property.
  package init(_ property: PropertyDefinition) {
    switch property.kind {
    case .fetched: self = .fetched
    case .relationship(let relationship): self = relationship.isToMany ? .toMany : .toOne
    case .attribute(let attribute): self = Self(attribute.type)
    }
  }

  private init(_ type: AttributeType) {
    self =
      switch type.traits.slot {
      case .none: []
      case .integer: .integer
      case .boolean: .boolean
      case .double: .double
      case .date: .date
      case .decimal: .decimal
      case .text: .text
      case .url: .url
      case .uuid: .uuid
      case .data: .data
      case .reference: .objectID
      case .opaque: .object
      }
  }

  package static let integer = Self(rawValue: 1 << 0)
  package static let boolean = Self(rawValue: 1 << 1)
  package static let double = Self(rawValue: 1 << 2)
  package static let date = Self(rawValue: 1 << 3)
  package static let decimal = Self(rawValue: 1 << 4)
  package static let text = Self(rawValue: 1 << 5)
  package static let url = Self(rawValue: 1 << 6)
  package static let uuid = Self(rawValue: 1 << 7)
  package static let data = Self(rawValue: 1 << 8)
  package static let objectID = Self(rawValue: 1 << 9)
  /// A transformable, composite or undefined attribute.
  package static let object = Self(rawValue: 1 << 10)
  package static let toOne = Self(rawValue: 1 << 11)
  package static let toMany = Self(rawValue: 1 << 12)
  package static let fetched = Self(rawValue: 1 << 13)

  package static let numbers: Self = [.integer, .boolean]
  package static let wholeAndReal: Self = [.integer, .boolean, .double, .decimal]
  package static let reals: Self = [.double, .date]
  package static let any = Self(rawValue: .max)
}
