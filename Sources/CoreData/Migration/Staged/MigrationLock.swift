// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// A lock for the migration of a store, which one thread of one process can hold at a time.
///
/// The lock is on a file beside the store, because the handlers of a staged migration open and close the
/// store between the steps, and because the destination of a migration may not exist yet. The file is deleted
/// when the lock is released; a file that a killed process left behind is reused.
final class MigrationLock {
  private let path: String
  private let descriptor: CInt

  /// Waits until no other process or thread holds the lock, and acquires it.
  ///
  /// - Throws: `StoreError.busy` after `timeout` seconds; `.cannotWrite` if the file cannot be opened or
  ///   created.
  init(store: String, timeout: Double) throws {
    path = store + "-migration"
    let end = Date(timeIntervalSinceNow: timeout)
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
      if descriptor < 0 {
        throw StoreError(
          .cannotWrite,
          "the store must be migrated, but the lock file \(path) cannot be created: \(Self.lastError); check "
            + "the permissions and the free space of its folder",
          path: store
        )
      }
      if Self.isLocked(descriptor) {
        // The previous holder may have deleted the file between `open` and `flock`.
        if Self.isFile(descriptor, path) {
          self.descriptor = descriptor
          return
        }
        close(descriptor)
        continue
      }
      close(descriptor)
      if Date() > end {
        throw StoreError(
          .busy,
          "another process or thread is still migrating the store after \(timeout) seconds; open the store "
            + "again later, or set a longer NSPersistentStoreTimeoutOption",
          path: store
        )
      }
      usleep(Self.interval)
    }
  }

  deinit {
    unlink(path)
    close(descriptor)
  }

  /// Microseconds between two attempts.
  ///
  /// Linux has no file lock with a timeout: a thread that waits in `flock` or `F_OFD_SETLKW` can only be
  /// ended by a signal to this very thread, whose handler would belong to the whole process. The engine
  /// retries its locks in the same way.
  private static let interval: UInt32 = 5000

  private static var lastError: String { String(cString: strerror(errno)) }

  private static func isLocked(_ descriptor: CInt) -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  private static func isFile(_ descriptor: CInt, _ path: String) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &named) == 0 && own.st_ino == named.st_ino
      && own.st_dev == named.st_dev
  }
}
