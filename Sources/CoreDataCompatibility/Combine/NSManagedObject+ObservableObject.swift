// SPDX-License-Identifier: Apache-2.0

#if OpenCombine
import CoreData
import OpenCombine

extension NSManagedObject: ObservableObject {
  /// A publisher that publishes before a property of the object changes, whether by a setter, the inverse of
  /// a relationship, a refresh, a merge, a rollback, an undo or a redo (MO-25).
  ///
  /// Each object has only one such publisher. Changes by primitive accessors are not published. Use the
  /// publisher on the context's queue.
  ///
  /// Source: documented, “objectWillChange”; OpenCombine declares the publisher's class.
  public var objectWillChange: ObservableObjectPublisher {
    changePublisher(ObservableObjectPublisher.init) { $0.send() }
  }
}
#endif
