// SPDX-License-Identifier: Apache-2.0

import Foundation

extension POSIXError {
  /// What the last call of the system said.
  static var latest: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// Waits until the file or folder has reached the disk; why it has not, where it fails.
  static func syncing(_ path: String) -> POSIXError? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return latest }
    defer { close(file) }
    return fsync(file) == 0 ? nil : latest
  }
}
