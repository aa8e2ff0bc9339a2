// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataStore

/// What the attempts of one save have found out.
struct PostgresSaveAttempt {
  /// How far the save has come.
  enum Progress {
    /// The caller's code before the commit has not been called.
    case writing
    /// The caller's code is being called, or made the rows of a batch insert, so a repetition would call it
    /// twice.
    case unrepeatable
    /// The caller's code was called, and nothing is committed.
    case prepared
    /// The commit was sent, and what became of it is not known.
    case committing
  }
  var progress = Progress.writing
  /// The time after which a lost connection is an error.
  let end: Date
  /// Whether many rows are written by COPY or by one UPDATE.
  private(set) var writesMany = true
  private(set) var pause = 0.0
  private var collisions = 0

  init(end: Date) { self.end = end }

  /// Calls the caller's code before the commit, unless an earlier attempt has called it.
  ///
  /// - Throws: errors of `body`, after which the save is not tried again.
  mutating func run(_ body: () throws -> Void) throws {
    if progress == .prepared { return }
    let isRepeatable = progress == .writing
    progress = .unrepeatable
    try body()
    if isRepeatable { progress = .prepared }
  }

  /// Returns whether the save is to be tried again after an error.
  mutating func canRepeat(_ error: StoreError) -> Bool {
    if progress == .unrepeatable || progress == .committing { return false }
    if error.code == .constraint, writesMany, error.keys.isEmpty {
      // With a statement for each row, the error names the row that is not unique.
      writesMany = false
      pause = 0
      return true
    }
    if error.serverCode == "40001" || error.serverCode == "40P01" {
      collisions += 1
      pause = Double.random(in: 0.001...0.02) * Double(collisions)
      return collisions < 10
    }
    if error.isLossOfServer, Date() < end {
      pause = min(1, max(0.01, pause * 2))
      return true
    }
    return false
  }
}
#endif
