// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Swift values as Foundation's objects.
///
/// On Linux each conversion below stands in an object file of its own in Foundation's static library, and
/// Foundation looks it up at run time. A program that is linked statically has only the files that
/// something refers to by name: without the references here `NSKeyedArchiver` stops the program at an
/// array inside another object, and `PropertyListSerialization` refuses every array, in this library and
/// in what the program does itself. Observed: Foundation of Swift 6.3.1.
package enum FoundationBridging {
  /// The object that stands for a value of Swift's collections, or of Foundation's value types; nil for
  /// any other value.
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
