// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// The right side of an `IN`, hashed.
struct MemberSet: Sendable {
  private var values: Set<Constant> = []
  private var texts: Set<[UInt8]> = []
  private var hasNull = false

  /// Nil where a member is compared by more than its own content, as collections are.
  init?(_ members: [Value]) {
    for member in members {
      switch member {
      case .null: hasNull = true
      case .text(let text): texts.insert(Array(text.utf8))
      case .collection, .dictionary, .opaque: return nil
      case .object(let object): values.insert(Self.constant(object))
      default: values.insert(Constant(member))
      }
    }
  }

  private static func constant(_ object: any KeyedObject) -> Constant {
    Constant(object.objectKey.map(Value.key) ?? .object(object))
  }

  /// - Complexity: O(1).
  func contains(_ value: Value) -> Bool {
    switch value {
    case .null: hasNull
    case .text(let text): !texts.isEmpty && texts.contains(Array(text.utf8))
    case .object(let object): values.contains(Self.constant(object))
    case .collection, .dictionary, .opaque: false
    default: values.contains(Constant(value))
    }
  }
}
