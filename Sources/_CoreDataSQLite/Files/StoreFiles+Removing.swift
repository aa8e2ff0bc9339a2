// SPDX-License-Identifier: Apache-2.0

import Foundation

extension StoreFiles {
  /// Removes the files of a store that no connection has open: the database, its side files and its large
  /// values; files that do not exist or cannot be removed are skipped.
  package func remove() {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    values.remove()
  }
}
