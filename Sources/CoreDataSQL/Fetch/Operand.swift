// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

/// One side of a comparison.
enum Operand {
  case column(SQL, ValueType)
  case constant(Value)
  case list([Operand])
  case members(MemberPath)
}

/// What a column or expression holds, as far as comparisons tell kinds apart.
enum ValueType: Hashable {
  case number, date, text, url, uuid, data
  /// Keys of the hierarchy with this root.
  case reference(root: Int)
  /// Decided by the engine.
  case any

  init(_ kind: SlotKind, root: Int) {
    self =
      switch kind {
      case .integer, .boolean, .double, .decimal: .number
      case .date: .date
      case .text: .text
      case .url: .url
      case .uuid: .uuid
      case .data, .opaque: .data
      case .reference: .reference(root: root)
      case .none: .any
      }
  }

  /// The type of a value that stands alone; nil for null and for what no column holds.
  init?(_ value: Value) {
    switch value {
    case .bool, .int, .double, .decimal: self = .number
    case .date: self = .date
    case .text: self = .text
    case .url: self = .url
    case .uuid: self = .uuid
    case .data: self = .data
    default: return nil
    }
  }
}

extension Value {
  /// The value as a binding, whatever it is compared with; nil where no column holds such a value.
  var plainBinding: Binding? {
    switch self {
    case .null: .null
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .int(let number): .integer(number)
    case .double(let number), .date(let number): .double(number)
    case .decimal(let number): .double(number.nearestDouble)
    case .text(let text): .text(text)
    case .url(let url): .text(url.absoluteString)
    case .data(let data): .blob(data)
    case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
    default: nil
    }
  }

  var members: [Value]? {
    if case .collection(let collection) = self { collection.members } else { nil }
  }
}

extension Decimal {
  /// The double that is nearest; `NSDecimalNumber.doubleValue` is off by some units in the last place.
  package var nearestDouble: Double { Double(description) ?? .nan }
}
