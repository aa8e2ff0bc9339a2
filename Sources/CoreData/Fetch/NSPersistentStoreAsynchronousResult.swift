// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The result of a request that is executed asynchronously, with its progress, its cancellation and its
/// error.
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
  /// The error of a request that failed; nil while the request runs and after it succeeded.
  open internal(set) var operationError: (any Error)?
  /// The progress of the request; nil if no `Progress` was current when the request was executed.
  public let progress: Progress?

  /// Cancels `progress`, if there is one.
  ///
  /// `NSAsynchronousFetchResult` also cancels a fetch without a progress.
  open func cancel() { progress?.cancel() }
}
