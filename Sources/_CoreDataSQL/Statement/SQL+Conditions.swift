// SPDX-License-Identifier: Apache-2.0

extension SQL {
  /// The maximum number of list members that are bound separately.
  ///
  /// Longer lists are bound as one value if the engine has such a value for them, so that lists of different
  /// lengths share a statement.
  static let listLimit = 16

  /// Returns the pieces joined in nested groups, because SQLite limits the depth of an expression; nil for an
  /// empty list.
  static func joined(_ pieces: [SQL], with separator: String) -> SQL? {
    guard let first = pieces.first else { return nil }
    if pieces.count == 1 { return first }
    if pieces.count <= 64 { return "(\(pieces.joined(separator: separator)))" }
    let groups = stride(from: 0, to: pieces.count, by: 64).compactMap {
      joined(Array(pieces[$0..<min($0 + 64, pieces.count)]), with: separator)
    }
    return joined(groups, with: separator)
  }

  /// Returns the contrary of a condition; true where the condition is NULL.
  static func not(_ piece: SQL) -> SQL { "((\(piece)) IS NOT TRUE)" }
}
