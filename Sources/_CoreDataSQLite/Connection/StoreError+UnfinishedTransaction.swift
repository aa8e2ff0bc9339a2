// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

extension StoreError {
  /// The engine's code for a file that cannot be read until an unfinished transaction is rolled back.
  ///
  /// This is the value of the macro `SQLITE_READONLY_ROLLBACK`, which Swift does not import.
  package static let needsRollback: Int32 = 776

  /// Returns the text of an error with the code `needsRollback`; `path` is the path of the database.
  static func unfinishedTransaction(_ path: String) -> String {
    let name = URL(fileURLWithPath: path).lastPathComponent
    return
      "a process that ended in the middle of a save left its transaction in the rollback journal "
      + "\(name)-journal, and the store cannot be read until this transaction is rolled back. To roll it "
      + "back, open the store for writing once, with permission to write to the file and its folder"
  }
}
