// SPDX-License-Identifier: Apache-2.0

/// Who wrote a transaction, as far as the context knows.
package struct HistoryAuthor: Sendable, Hashable {
  /// `NSManagedObjectContext.transactionAuthor`.
  package var author: String?
  /// `NSManagedObjectContext.name`.
  package var contextName: String?

  package init(author: String? = nil, contextName: String? = nil) {
    self.author = author
    self.contextName = contextName
  }
}
