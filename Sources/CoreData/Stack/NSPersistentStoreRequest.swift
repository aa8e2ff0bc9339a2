// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request to the stores of a coordinator: a fetch, or a batch of changes.
///
/// Make one of its subclasses; carry it out with `NSManagedObjectContext.execute(_:)`.
/// Source: documented, “NSPersistentStoreRequest”.
open class NSPersistentStoreRequest: NSObject, NSCopying {
  /// A request for all the stores.
  public override init() { super.init() }

  /// The stores that the request is for; nil for all of the coordinator that hold the entity.
  ///
  /// Nil at first; stores of other coordinators count for nothing.
  open var affectedStores: [NSPersistentStore]?

  /// What the request asks for.
  ///
  /// Of the class itself, which asks for nothing, it stops the program.
  open var requestType: NSPersistentStoreRequestType { Misuse.requestHasNoType(self) }

  /// A request for the same stores; subclasses copy their own settings too.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreRequest()
    copy.affectedStores = affectedStores
    return copy
  }

  /// What `NSManagedObjectContext.execute(_:)` gives.
  ///
  /// Called on the context's queue. A subclass without a way of its own is refused.
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` (134091).
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    throw coreDataError(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The persistent store cannot carry out the request.",
      "\(type(of: self)) is no request that a context executes; use a fetch request with fetch(_:), "
        + "or a batch request."
    )
  }

  /// What `NSPersistentStoreCoordinator.execute(_:with:)` gives: the result, but for a fetch.
  func answer(in context: NSManagedObjectContext) throws -> Any { try result(in: context) }
}

/// What a request asks of a store; raw values are Apple's.
///
/// Source: documented, “NSPersistentStoreRequestType”.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  /// To read.
  case fetchRequestType = 1
  /// To write the changes of a context.
  case saveRequestType = 2
  /// To insert rows past the contexts.
  case batchInsertRequestType = 5
  /// To change rows past the contexts.
  case batchUpdateRequestType = 6
  /// To delete rows past the contexts.
  case batchDeleteRequestType = 7
}

/// What a request gave; a subclass says it.
///
/// Source: documented, “NSPersistentStoreResult”.
open class NSPersistentStoreResult: NSObject {
  override init() { super.init() }
}
