// SPDX-License-Identifier: Apache-2.0

import CCoreDataObjectLifetime

/// References that neither keep an object alive nor slow its retains down, as Swift's `weak` does.
///
/// Keep the address under a lock that the object's `deinit` acquires to remove it; call `retain` under
/// that lock and `consume` after it. Source: docs/decisions/0001-identity-map.md.
package enum ObjectLifetime {
  package static func address(of object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  /// The address with one more retain; 0 where the object is dying, and for 0.
  package static func retain(_ address: UInt) -> UInt {
    UnsafeMutableRawPointer(bitPattern: address).map { UInt(bitPattern: coredata_try_retain($0)) }
      ?? 0
  }

  /// The object of a retained address, which must be of that class; nil for 0.
  package static func consume<Object: AnyObject>(_ address: UInt, as: Object.Type) -> Object? {
    UnsafeMutableRawPointer(bitPattern: address).map {
      Unmanaged<Object>.fromOpaque($0).takeRetainedValue()
    }
  }
}
