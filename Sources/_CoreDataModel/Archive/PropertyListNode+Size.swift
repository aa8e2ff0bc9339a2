// SPDX-License-Identifier: Apache-2.0

extension PropertyListNode {
  /// Whether the list has at most `limit` members, those of shared containers counted each time.
  ///
  /// A list of few bytes can stand for any number of members, as containers may be shared; whoever
  /// copies or walks one asks first.
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
