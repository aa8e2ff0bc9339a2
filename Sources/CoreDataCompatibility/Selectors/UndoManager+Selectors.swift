// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

extension UndoManager {
  /// Registers an action that calls a method of `target` with `anObject`; the action does nothing if the target
  /// no longer exists.
  ///
  /// The selector must have been created with its method, as in `Selector("setTitle:", Page.setTitle(_:))`;
  /// otherwise the program stops. The manager retains `anObject`, and does not retain the target.
  ///
  /// Source: documented, “registerUndo(withTarget:selector:object:)”.
  public func registerUndo(withTarget target: AnyObject, selector: Selector, object anObject: Any?)
  {
    guard let method = selector.method else {
      fatalError(
        "UndoManager.registerUndo: the selector “\(selector)” has no method. Create the selector with its "
          + "method, such as Selector(\"setTitle:\", Page.setTitle(_:))."
      )
    }
    registerUndo(withTarget: target) { method($0, anObject) }
  }
}
