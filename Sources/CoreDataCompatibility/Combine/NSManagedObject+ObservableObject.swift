// SPDX-License-Identifier: Apache-2.0

#if OpenCombine
import CoreData
import OpenCombine

extension NSManagedObject: ObservableObject {
  /// A publisher that publishes before a property of the object changes: through a setter, the inverse of a
  /// relationship, a refresh, a merge, a rollback, an undo or a redo (MO-25).
  ///
  /// Always the same publisher for one object. Values set by primitive accessors are not published. Use it on the
  /// context's queue.
  ///
  /// Source: documented, “objectWillChange”; OpenCombine has the publisher's class.
  public var objectWillChange: ObservableObjectPublisher {
    changePublisher(ObservableObjectPublisher.init) { $0.send() }
  }
}
#endif
