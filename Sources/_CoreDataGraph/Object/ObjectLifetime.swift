// SPDX-License-Identifier: Apache-2.0

import CCoreDataObjectLifetime

/// Weak references that, unlike Swift's `weak`, do not slow down retains of the object.
///
/// A reference is the object's address. Protect it with a lock that the object's `deinit` acquires to remove
/// the address. Call `retain` while you hold that lock, and `consume` after you have released it.
/// Source: docs/decisions/0001-identity-map.md.
package enum ObjectLifetime {
  package static func address(of object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  /// Retains the object at an address and returns the address.
  ///
  /// Returns 0 if the address is 0 or the object is being deallocated.
  package static func retain(_ address: UInt) -> UInt {
    UnsafeMutableRawPointer(bitPattern: address).map { UInt(bitPattern: coredata_try_retain($0)) }
      ?? 0
  }

  /// Takes ownership of an object that `retain` has retained, and returns the object; nil if the address is
  /// 0.
  ///
  /// `address` must be a result of `retain` that was not consumed before. The object must be of the given
  /// class.
  package static func consume<Object: AnyObject>(_ address: UInt, as: Object.Type) -> Object? {
    UnsafeMutableRawPointer(bitPattern: address).map {
      Unmanaged<Object>.fromOpaque($0).takeRetainedValue()
    }
  }
}
