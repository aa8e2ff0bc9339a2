// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import Synchronization
import _CoreDataStore

extension SQLiteStore {
  /// Calls `changed` after commits by other processes, or by other stores that use the same file.
  ///
  /// One call may report several commits. Returns nil for a store in memory. Also returns nil for a store
  /// opened with `leavesNoTrace`, which cannot notice such commits.
  /// - Complexity: no work while the file is not written to; at most one statement per millisecond while it
  ///   is written to, and five statements within about a second after the last write.
  package func watch(_ changed: @escaping @Sendable () -> Void) -> (any StoreWatch)? {
    if options.isInMemory || options.leavesNoTrace { return nil }
    return CommitWatch(self, changed)
  }

  /// Returns a number that changes when other connections commit, but not when this store commits.
  ///
  /// The number is nil if the file cannot be read, or if the store is closed.
  /// Source: documented, sqlite.org “PRAGMA data_version”.
  fileprivate func foreignVersion() -> Int64? {
    // The error is ignored: the watch checks again after the next write, and a fetch would throw the error.
    try? pool.inspect { connection in
      try connection.cached("PRAGMA data_version").integer()
    }
  }
}

/// Checks for commits of other connections after each write to the store's files.
private final class CommitWatch: StoreWatch {
  private struct State {
    var version: Int64?
    /// The index in `delays` of the delay before the scheduled check; nil if no check is scheduled.
    var step: Int?
  }
  /// The delays before the checks that follow a write, in milliseconds.
  ///
  /// SQLite writes a commit to the log and then publishes it in shared memory. Only the write causes an
  /// event, so the first checks can be too early.
  private static let delays = [1, 5, 25, 125, 1000]

  private let queue = DispatchQueue(label: "CoreData.CommitWatch", qos: .utility)
  private let state: Mutex<State>
  private let files = Mutex<FileWatch?>(nil)
  private let changed: @Sendable () -> Void
  private weak let store: SQLiteStore?

  init(_ store: SQLiteStore, _ changed: @escaping @Sendable () -> Void) {
    self.store = store
    self.changed = changed
    state = Mutex(State(version: store.foreignVersion()))
    let path = store.options.path
    let watch = FileWatch([path, path + "-wal"], queue: queue) { [weak self] in
      self?.scheduleChecks()
    }
    files.withLock { $0 = watch }
  }

  deinit { cancel() }

  func cancel() {
    files.withLock { watch in
      watch?.cancel()
      watch = nil
    }
  }

  private func scheduleChecks() {
    let isAwake = state.withLock { state in
      defer { state.step = 0 }
      return state.step != nil
    }
    if !isAwake { wait(Self.delays[0]) }
  }

  private func wait(_ milliseconds: Int) {
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      self?.look()
    }
  }

  private func look() {
    guard files.withLock({ $0 != nil }), let store else { return }
    // The version is nil if the file stays locked for the whole timeout of the store. A later check then
    // notices the commit.
    let version = store.foreignVersion()
    let (isNew, next) = state.withLock { state -> (Bool, Int?) in
      let isNew = version != nil && state.version != version
      if isNew { state.version = version }
      let step = (state.step ?? 0) + 1
      state.step = step < Self.delays.count ? step : nil
      return (isNew, state.step)
    }
    if isNew { changed() }
    if let next { wait(Self.delays[next]) }
  }
}
