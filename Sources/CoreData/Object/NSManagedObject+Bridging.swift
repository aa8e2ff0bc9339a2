// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Says to Foundation what it would find out: that a managed object in a collection is given as itself.
///
/// Foundation on Linux asks each member that it hands out whether it stands for a Swift value; a cast that
/// fails costs it twice as much as one that succeeds, and was a tenth of visiting a to-many.
extension NSManagedObject: _StructBridgeable {
  /// The object.
  public func _bridgeToAny() -> Any { self }
}
