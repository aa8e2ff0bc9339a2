// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Setting a property of all members at once.
///
/// Source: documented, “setValue(_:forKey:)” of `NSArray`, `NSSet` and `NSOrderedSet`.
extension NSArray {
  /// Sets the property of each member; one that is no managed object stops the program.
  public func setValue(_ value: Any?, forKey key: String) { broadcast(value, key, to: self) }
}

extension NSSet {
  /// Sets the property of each member; one that is no managed object stops the program.
  public func setValue(_ value: Any?, forKey key: String) { broadcast(value, key, to: allObjects) }
}

extension NSOrderedSet {
  /// Sets the property of each member; one that is no managed object stops the program.
  public func setValue(_ value: Any?, forKey key: String) { broadcast(value, key, to: array) }
}

private func broadcast(_ value: Any?, _ key: String, to members: some Sequence) {
  for member in members {
    guard let object = member as? NSManagedObject else {
      Misuse.undefinedKey(UnknownKey(key: key, owner: "\(type(of: member))"))
    }
    object.setValue(value, forKey: key)
  }
}
