// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// The type of a column or expression, with the distinctions that comparisons need.
package enum ValueType: Hashable, Sendable {
  case integer, boolean, real, decimal
  /// A number that is an integer in some rows and a real in others.
  case number
  /// A number that is an integer unless its piece is NULL; `real` is then the number, and NULL for NaN.
  ///
  /// `absent` is the condition that the value in memory is null.
  case mixed(real: SQL, absent: SQL)
  /// A number that can be NaN; SQL represents NaN as NULL.
  ///
  /// `absent` is the condition that the value in memory is null, and not NaN.
  case computed(absent: SQL)
  case date, text, url, uuid, data
  /// Bytes that SQL cannot read: transformables, and data whose first byte states where the content is.
  case sealed
  /// Primary keys in the hierarchy of the root entity at the index `root`.
  case reference(root: Int)
  /// Entity numbers (`Z_ENT`).
  case entity
  /// A value whose type is known only after the engine has evaluated it.
  case any

  init(_ kind: SlotKind, root: Int) {
    self =
      switch kind {
      case .integer: .integer
      case .boolean: .boolean
      case .double: .real
      case .decimal: .decimal
      case .date: .date
      case .text: .text
      case .url: .url
      case .uuid: .uuid
      case .data: .data
      case .opaque: .sealed
      case .reference: .reference(root: root)
      case .none: .any
      }
  }

  /// Creates the type of a constant; nil for null, for objects and their IDs, and for values that no column
  /// holds.
  init?(_ value: Value) {
    switch value {
    case .bool: self = .boolean
    case .int: self = .integer
    case .double: self = .real
    case .decimal: self = .decimal
    case .date: self = .date
    case .text: self = .text
    case .url: self = .url
    case .uuid: self = .uuid
    case .data: self = .data
    default: return nil
    }
  }

  /// The type as error texts name it, in the wording of `Value.kindName`.
  var kindName: String {
    switch self {
    case .integer, .boolean, .real, .decimal, .number, .mixed, .computed: "a number"
    case .date: "a date"
    case .text: "a string"
    case .url: "a URL"
    case .uuid: "a UUID"
    case .data: "data"
    case .sealed: "archived or external data"
    case .reference: "an object"
    case .entity: "an entity"
    case .any: "a value of unknown type"
    }
  }

  var isNumber: Bool {
    switch self {
    case .integer, .boolean, .real, .decimal, .number, .mixed, .computed: true
    default: false
    }
  }

  /// Whether values of the type can be integers in SQL, so that arithmetic with them can result in integers.
  var isWhole: Bool {
    switch self {
    case .integer, .boolean, .number, .mixed: true
    default: false
    }
  }

  var isComputed: Bool { if case .computed = self { true } else { false } }

  /// Returns the condition that the value of `piece`, which has this type, is null in memory.
  func absent(_ piece: SQL) -> SQL {
    switch self {
    case .computed(let absent), .mixed(_, let absent): return absent
    default: return "\(piece) IS NULL"
    }
  }
}
