// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Synchronization

/// The numbers of rows that statements without values have returned.
///
/// A statement that returned few rows is better prepared, because the server then plans it once. One that
/// returned many is better read by COPY.
final class PostgresResultSizes: Sendable {
  private struct State {
    var sizes: [String: Int] = [:]
    var isUnsupported = false
  }
  private let state = Mutex(State())

  /// The number of rows from which COPY is used.
  private static let manyRows = 500
  /// The number of statements that are remembered.
  private static let limit = 256

  /// Returns whether a statement is to be read by COPY: one whose size is not known, or that returned many
  /// rows.
  func prefersCopy(_ text: String) -> Bool {
    state.withLock { !$0.isUnsupported && $0.sizes[text] ?? Self.manyRows >= Self.manyRows }
  }

  func record(_ text: String, _ rows: Int) {
    state.withLock {
      if $0.sizes.count >= Self.limit, $0.sizes[text] == nil { $0.sizes.removeAll() }
      $0.sizes[text] = rows
    }
  }

  /// Makes this store use COPY no more, because the server refuses it.
  func giveUpCopy() { state.withLock { $0.isUnsupported = true } }
}
#endif
