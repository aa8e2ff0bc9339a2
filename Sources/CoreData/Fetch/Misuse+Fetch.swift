// SPDX-License-Identifier: Apache-2.0

/// Stops around requests and their results.
extension Misuse {
  /// A request of a class that does not say what it asks for.
  static func requestHasNoType(_ request: NSPersistentStoreRequest) -> Never {
    fatalError(
      "\(type(of: request)) has no requestType: make a fetch request or a batch request, or override "
        + "it in the subclass."
    )
  }

  /// Rows of an array that reads them in batches could not be read: an element of an array cannot throw.
  static func unreadableBatch(_ error: any Error) -> Never {
    fatalError("CoreData could not read a batch of fetched objects: \(error)")
  }
}
