// SPDX-License-Identifier: Apache-2.0

#if Command
import _CoreDataSQLite

enum UnfinishedTransaction {
  /// Rolls back the transaction that a killed process left in the store's rollback journal, and prints a notice;
  /// does nothing if there is no such transaction.
  ///
  /// - Throws: `StoreError`, for example if the file does not exist or is not a store.
  static func rollBack(in store: String) throws {
    guard try StoreFiles(path: store, timeout: 5).rollBackUnfinishedTransaction() else { return }
    Terminal.printNotice(
      "\(store): a process ended in the middle of a save; its unfinished transaction was rolled back"
    )
  }
}
#endif
