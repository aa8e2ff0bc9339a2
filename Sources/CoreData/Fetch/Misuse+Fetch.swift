// SPDX-License-Identifier: Apache-2.0

/// Programmer errors that concern requests and their results.
extension Misuse {
  /// The request's class does not override `requestType`.
  static func requestHasNoType(_ request: NSPersistentStoreRequest) -> Never {
    fatalError(
      "\(type(of: request)) has no requestType. Use a fetch request or a batch request, or override "
        + "requestType in the subclass."
    )
  }

  /// The rows of a lazily read collection could not be read; accessing an element cannot throw.
  static func unreadableBatch(_ error: any Error) -> Never {
    fatalError("CoreData could not read a batch of fetched objects: \(error)")
  }
}
