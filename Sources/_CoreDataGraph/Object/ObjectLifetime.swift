// SPDX-License-Identifier: Apache-2.0

import CCoreDataObjectLifetime

/// Weak references that, unlike Swift's `weak`, do not slow down the retains of the object.
///
/// Keep the address under a lock that the object's `deinit` acquires to remove the address. Call `retain`
/// under that lock and `consume` after releasing the lock.
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

  /// Returns the object at an address that `retain` has returned, and takes over the retain; nil if the
  /// address is 0.
  ///
  /// The object must be of the given class.
  package static func consume<Object: AnyObject>(_ address: UInt, as: Object.Type) -> Object? {
    UnsafeMutableRawPointer(bitPattern: address).map {
      Unmanaged<Object>.fromOpaque($0).takeRetainedValue()
    }
  }
}
