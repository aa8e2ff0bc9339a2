// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value of a property list, or a reference between the objects of a keyed archive.
///
/// Foundation has no public type for such references, so this library reads and writes property lists itself.
package indirect enum PropertyListNode: Hashable, Sendable {
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  /// Seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  case text(String)
  case data(Data)
  /// The index of an object in a keyed archive.
  case reference(Int)
  case array([PropertyListNode])
  case dictionary([String: PropertyListNode])

  package subscript(_ key: String) -> PropertyListNode? {
    if case .dictionary(let members) = self { members[key] } else { nil }
  }
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  /// The number of a `real` or `integer` node as a `Double`; nil for other nodes.
  package var real: Double? {
    switch self {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }
  package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  package var reference: Int? { if case .reference(let index) = self { index } else { nil } }
  package var array: [PropertyListNode]? {
    if case .array(let members) = self { members } else { nil }
  }
}

extension PropertyListNode {
  /// Whether the node, with all nodes nested in it, consists of at most `limit` nodes.
  ///
  /// A shared node counts once for each reference to it; dictionary keys do not count. Because containers can
  /// be shared, a property list of a few bytes can expand to any number of nodes. Call this method before you
  /// copy or walk an untrusted property list.
  /// - Complexity: O(`limit`).
  package func holds(atMost limit: Int) -> Bool {
    var left = limit
    return spend(&left)
  }

  private func spend(_ left: inout Int) -> Bool {
    left -= 1
    if left < 0 { return false }
    switch self {
    case .array(let members): return members.allSatisfy { $0.spend(&left) }
    case .dictionary(let members): return members.values.allSatisfy { $0.spend(&left) }
    default: return true
    }
  }
}
