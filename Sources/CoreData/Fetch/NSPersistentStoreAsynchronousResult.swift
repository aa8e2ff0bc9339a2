// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a request gives that is carried out later: how far it is, how to end it, why it failed.
///
/// Source: documented, “NSPersistentStoreAsynchronousResult”.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
  init(context: NSManagedObjectContext, progress: Progress?) {
    managedObjectContext = context
    self.progress = progress
    super.init()
  }

  /// The context that executes the request.
  public let managedObjectContext: NSManagedObjectContext
  /// Why the request failed; nil while it runs and where it succeeded.
  open internal(set) var operationError: (any Error)?
  /// How far the request is; nil where no `Progress` was current when it was executed.
  public let progress: Progress?

  /// Ends the request before it is done; nothing where it is done.
  open func cancel() { progress?.cancel() }
}
