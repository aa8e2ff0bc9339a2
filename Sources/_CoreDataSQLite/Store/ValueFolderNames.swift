// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What an open store knows about the names of its folder of large values and of that folder's parent.
final class ValueFolderNames: Sendable {
  /// Whether both names are certainly on the disk.
  ///
  /// A folder that exists is no proof: a save that failed, or another process, may have made the folder without
  /// synchronizing its parent to disk.
  let areOnDisk = Atomic(false)
}
