// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Records whether an open store's folder of large values, and that folder's parent, would still exist after
/// a power failure.
final class ValueFolderNames: Sendable {
  /// Whether the names of both folders are known to be on the disk.
  ///
  /// The existence of a folder does not prove this: a failed save or another process may have created the
  /// folder without synchronizing its parent to disk.
  let areOnDisk = Atomic(false)
}
