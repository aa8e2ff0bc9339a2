// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The name of a value transformer, as models give it.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String
  /// A name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
  /// The default: secure keyed archives of property-list types.
  public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
    "NSSecureUnarchiveFromData"
  )
  /// True for false and nil, false for every other number.
  public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
  /// Whether there is no value.
  public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
  /// Whether there is a value.
  public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
}

/// Turns the values of transformable attributes into bytes, and back.
///
/// ```swift
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: .init("Color"))
/// ```
/// Ours: Foundation on Linux has none.
/// Source: documented, “ValueTransformer”.
/// Registered transformers are asked on any thread. Not `Sendable`: a subclass has nothing to restate.
open class ValueTransformer: NSObject {
  public override init() {}

  /// Class of the values that `transformedValue(_:)` gives; `NSData` at first.
  open class func transformedValueClass() -> AnyClass { NSData.self }
  /// Whether `reverseTransformedValue(_:)` works; true at first.
  open class func allowsReverseTransformation() -> Bool { true }
  /// The transformed value: for an attribute, its object as `Data`; the value itself at first.
  open func transformedValue(_ value: Any?) -> Any? { value }
  /// The way back: for an attribute, `Data` as its object; as `transformedValue(_:)` at first.
  open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

  private static let registry = Mutex<[NSValueTransformerName: Transfer<ValueTransformer>]>([:])

  /// Registers a transformer, from then on used by attributes that name it; nil takes it back.
  public static func setValueTransformer(
    _ transformer: ValueTransformer?,
    forName name: NSValueTransformerName
  ) {
    // Asked on any thread from now on, which the program's transformer must allow.
    let transformer = transformer.map { Transfer($0) }
    registry.withLock { $0[name] = transformer }
  }

  /// The names that are registered, in no order.
  public static func valueTransformerNames() -> [NSValueTransformerName] {
    registry.withLock { Array($0.keys) }
  }

  /// The transformer of that name; nil where none is registered.
  ///
  /// Not in Apple's framework.
  ///
  /// It replaces Apple's `init(forName:)`, which returns an existing object.
  public static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
    registry.withLock { $0[name]?.value } ?? TruthTransformer.standard(name)
  }
}

/// Objects of allowed classes as secure keyed archives; subclasses allow more classes.
///
/// Source: documented, “NSSecureUnarchiveFromDataTransformer”.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  /// Classes that an archive may hold at its top and inside.
  open class var allowedTopLevelClasses: [AnyClass] { SecureArchive.ordinary }
  open override class func transformedValueClass() -> AnyClass { NSObject.self }
  /// The object of an archive; nil where it names a class that is not allowed.
  open override func transformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap {
      SecureArchive.object(from: $0, allowing: type(of: self).allowedTopLevelClasses)
    }
  }
  /// The archive of an object.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    value.flatMap { SecureArchive.data(from: $0) }
  }
}
