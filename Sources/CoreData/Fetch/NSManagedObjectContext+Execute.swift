// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  func executeRequest(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    checkQueue("execute(_:)", "\(type(of: request))")
    if !isConnected { Misuse.contextHasNoCoordinator(self) }
    do {
      let result = try request.result(in: self)
      guard let other = result as? ProgramResult else { return result }
      throw coreDataError(
        NSPersistentStoreUnsupportedRequestTypeError,
        "The result of the request is not an NSPersistentStoreResult.",
        "The store returned a value of the type \(type(of: other.value)) for a request of the class "
          + "\(type(of: request)), not an NSPersistentStoreResult. Execute the request with "
          + "NSPersistentStoreCoordinator.execute(_:with:), which returns any value."
      )
    } catch {
      throw cocoaError(error)
    }
  }
}

extension NSPersistentStoreCoordinator {
  func executeRequest(
    _ request: NSPersistentStoreRequest,
    _ context: NSManagedObjectContext
  ) throws -> Any {
    guard context.coordinator === self else {
      throw coreDataError(
        NSPersistentStoreOperationError,
        "The request cannot be executed.",
        (context.coordinator == nil
          ? "The context has no coordinator." : "The context belongs to a different coordinator.")
          + " Use a context of the coordinator that executes the request."
      )
    }
    do {
      return try request.coordinatorResult(in: context)
    } catch {
      throw cocoaError(error)
    }
  }
}
