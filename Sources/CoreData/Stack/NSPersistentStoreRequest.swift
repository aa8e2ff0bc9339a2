// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request to the stores of a coordinator, such as a fetch or a batch of changes.
///
/// Create an instance of a subclass, and execute it with `NSManagedObjectContext.execute(_:)`.
///
/// Source: documented, “NSPersistentStoreRequest”.
open class NSPersistentStoreRequest: NSObject, NSCopying {
  /// Creates a request for all stores.
  public override init() { super.init() }

  /// The stores to which the request applies; nil, the default, for all stores of the coordinator that
  /// hold the entity.
  ///
  /// Stores of other coordinators are ignored.
  open var affectedStores: [NSPersistentStore]?

  /// The type of the request.
  ///
  /// Stops the program for an instance of this class itself, which has no type.
  open var requestType: NSPersistentStoreRequestType { Misuse.requestHasNoType(self) }

  /// Returns a request for the same stores; subclasses also copy their own settings.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreRequest()
    copy.affectedStores = affectedStores
    return copy
  }

  /// Executes the request and returns what `NSManagedObjectContext.execute(_:)` returns.
  ///
  /// Called on the context's queue. Subclasses override this method.
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` (134091), if the subclass does not override
  ///   this method.
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    throw coreDataError(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The persistent store cannot execute the request.",
      "A context cannot execute a request of the class \(type(of: self)). Execute a fetch request, a batch "
        + "request or a history request instead."
    )
  }

  /// Executes the request and returns what `NSPersistentStoreCoordinator.execute(_:with:)` returns: an array
  /// for a fetch, otherwise the result object.
  func coordinatorResult(in context: NSManagedObjectContext) throws -> Any {
    try result(in: context)
  }
}

/// The type of a request, with Apple's raw values.
///
/// Source: documented, “NSPersistentStoreRequestType”.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  /// A fetch of objects or of persistent history.
  case fetchRequestType = 1
  /// A save of a context's changes; no request of this library has this type.
  case saveRequestType = 2
  /// An insertion of rows directly in the stores, without objects in a context.
  case batchInsertRequestType = 5
  /// An update of rows directly in the stores, without objects in a context.
  case batchUpdateRequestType = 6
  /// A deletion of rows or of persistent history directly in the stores, without objects in a context.
  case batchDeleteRequestType = 7
}

/// The result of a request; the properties of subclasses contain the values.
///
/// Source: documented, “NSPersistentStoreResult”.
open class NSPersistentStoreResult: NSObject {
  override init() { super.init() }
}
