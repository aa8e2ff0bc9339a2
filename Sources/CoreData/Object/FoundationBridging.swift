// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Converts Swift values to Foundation objects.
///
/// On Linux, each of the conversions below is in a separate object file of Foundation's static library, and
/// Foundation looks up the conversion at run time. A statically linked program contains only the object files
/// that it references by name. Without the references here, `NSKeyedArchiver` stops the program at an array
/// inside another object and `PropertyListSerialization` rejects every array, both in this library and in the
/// program's own code.
///
/// Source: observed with Foundation of Swift 6.3.1.
package enum FoundationBridging {
  /// Returns the object for an array, dictionary, set, `Decimal`, `IndexPath`, `DateInterval` or
  /// `DateComponents`; nil for any other value.
  package static func object(_ value: Any) -> NSObject? {
    switch value {
    case let array as [Any]: array._bridgeToObjectiveC()
    case let dictionary as [AnyHashable: Any]: dictionary._bridgeToObjectiveC()
    case let set as Set<AnyHashable>: set._bridgeToObjectiveC()
    case let number as Decimal: number._bridgeToObjectiveC()
    case let path as IndexPath: path._bridgeToObjectiveC()
    case let interval as DateInterval: interval._bridgeToObjectiveC()
    case let components as DateComponents: components._bridgeToObjectiveC()
    default: nil
    }
  }
}
