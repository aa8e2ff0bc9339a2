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
  /// Called on the context's queue. The requests of this library override this method. This implementation is
  /// for requests of classes of the program, and passes them to the stores of classes of the program.
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` (134091) if the coordinator has no such store;
  ///   errors of these stores.
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let result = try context.coordinator?.executeInStoresOfProgram(self, context)
    guard let result else {
      throw coreDataError(
        NSPersistentStoreUnsupportedRequestTypeError,
        "The persistent store cannot execute the request.",
        "The coordinator has no store that executes requests of the class \(type(of: self)). Execute a fetch "
          + "request, a batch request or a history request instead."
      )
    }
    return result as? NSPersistentStoreResult ?? ProgramResult(result)
  }

  /// Executes the request and returns what `NSPersistentStoreCoordinator.execute(_:with:)` returns: for a
  /// fetch, an array; for a request of a class of the program, what the stores return; otherwise the result
  /// object.
  func coordinatorResult(in context: NSManagedObjectContext) throws -> Any {
    let result = try result(in: context)
    return (result as? ProgramResult)?.value ?? result
  }
}

/// The type of a request, with Apple's raw values.
///
/// Source: documented, “NSPersistentStoreRequestType”.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  /// A fetch of objects or of persistent history.
  case fetchRequestType = 1
  /// A save of a context's changes, for stores of classes of the program; see `NSSaveChangesRequest`.
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

/// Wraps the result of a request that is not an `NSPersistentStoreResult`; only a request of a class of the
/// program has such a result.
final class ProgramResult: NSPersistentStoreResult {
  let value: Any
  init(_ value: Any) {
    self.value = value
    super.init()
  }
}
