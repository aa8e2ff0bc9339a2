// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
/// The names of the statements that one connection has prepared, by their texts and parameter types.
final class PreparedStatements {
  struct Key: Hashable {
    let text: String
    let types: [UInt32]
  }
  private var names: [Key: String] = [:]
  private var last = 0

  /// The number of statements above which all are forgotten, so that the server's memory stays bounded.
  static let limit = 400

  var isFull: Bool { names.count >= Self.limit }

  func name(_ key: Key) -> String? { names[key] }

  /// Returns a name that the connection has never used.
  func add(_ key: Key) -> String {
    last += 1
    let name = "s\(last)"
    names[key] = name
    return name
  }

  func forget(_ key: Key) { names[key] = nil }

  func forgetAll() { names = [:] }
}
#endif
