// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Connections that stay open until the store that was migrated is open.
///
/// The last connection to a file moves the log into the file and waits for the disk. While another connection
/// is open, the log stays for the store's next checkpoint.
package final class KeptConnections: Sendable {
  private let kept = Mutex<[Connection]>([])
  /// The size of a log in bytes up to which it is left; that of the engine's automatic checkpoint.
  private static let logLimit = 1_000 * 4_096

  package init() {}

  /// Keeps a connection, unless the log is so large that it should not stay.
  func keep(_ connection: Connection) {
    let log = try? FileManager.default.attributesOfItem(atPath: connection.path + "-wal")
    // Without a log, closing the connection is cheap.
    guard let size = (log?[.size] as? NSNumber)?.intValue, size <= Self.logLimit else { return }
    kept.withLock { $0.append(connection) }
  }

  package func close() { kept.withLock { $0 = [] } }
}
