// SPDX-License-Identifier: Apache-2.0

import Foundation

extension POSIXError {
  static var latest: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// Returns advice if the code means that no file descriptor is left; nil for other codes.
  static func lackOfDescriptors(_ code: POSIXErrorCode?) -> String? {
    switch code {
    case .EMFILE:
      let limit = sysconf(Int32(_SC_OPEN_MAX))
      return "the process has no file descriptor left (its limit is \(limit)): close files, or "
        + "raise the limit with ulimit -n, and try again"
    case .ENFILE:
      return "the system has no file descriptor left: close files and try again"
    default: return nil
    }
  }

  /// Synchronizes a file or folder to disk with `fsync`.
  ///
  /// Returns the error if opening or synchronizing fails, otherwise nil.
  static func syncing(_ path: String) -> POSIXError? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return latest }
    defer { close(file) }
    return fsync(file) == 0 ? nil : latest
  }
}
