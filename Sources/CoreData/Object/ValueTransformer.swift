// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The name of a value transformer, as used in models.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name as a string.
  public let rawValue: String
  /// Creates a name from a string.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a name from a string.
  public init(_ rawValue: String) { self.rawValue = rawValue }
  /// The name of the default transformer, which converts objects of Foundation's classes for strings,
  /// numbers, dates, data, URLs, UUIDs, null and collections to secure keyed archives.
  public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
    "NSSecureUnarchiveFromData"
  )
  /// The name of a transformer that negates a Boolean: it returns false for true and for numbers other than
  /// 0, and true for any other value and for nil.
  public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
  /// The name of a transformer that returns whether the value is nil.
  public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
  /// The name of a transformer that returns whether the value is not nil.
  public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
}

/// Converts the values of transformable attributes to data, and back.
///
/// ```swift
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: .init("Color"))
/// ```
/// A transformer need not be registered if its name is the name of its class.
///
/// Foundation on Linux does not have this class. A registered transformer may be called on any thread.
///
/// The class is not `Sendable`, so that a subclass need not restate the conformance.
///
/// Source: documented, “ValueTransformer”.
open class ValueTransformer: NSObject {
  public override init() {}

  // Unsafe: a symbol without the module's name, which another name of the module (a module alias) would change.
  // Usable from inline, so that the optimiser keeps the function, which `NamedTransformers` calls by its symbol.
  @_silgen_name("coredata_ValueTransformer_ofNamedClass")
  @usableFromInline
  convenience init(ofNamedClass: Void) { self.init() }

  /// Returns the class of the values that `transformedValue(_:)` returns; `NSData` by default.
  open class func transformedValueClass() -> AnyClass { NSData.self }
  /// Returns whether `reverseTransformedValue(_:)` is supported; true by default.
  open class func allowsReverseTransformation() -> Bool { true }
  /// Returns the transformed value; by default the value itself.
  ///
  /// For a transformable attribute, converts the attribute's object to the data to store, and returns nil if
  /// the object cannot be converted. `NSSecureUnarchiveFromDataTransformer` is the exception: its
  /// `transformedValue(_:)` converts stored data to an object.
  open func transformedValue(_ value: Any?) -> Any? { value }
  /// Reverses the transformation; by default calls `transformedValue(_:)`.
  ///
  /// For a transformable attribute, converts stored data to the attribute's object, and returns nil if the
  /// data cannot be converted.
  open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

  /// Registers a transformer under the name by which attributes refer to it; nil removes the registration.
  public static func setValueTransformer(
    _ transformer: ValueTransformer?,
    forName name: NSValueTransformerName
  ) {
    NamedTransformers.set(transformer, name)
  }

  /// Returns the names that the program has registered, in no particular order.
  public static func valueTransformerNames() -> [NSValueTransformerName] {
    NamedTransformers.names
  }

  /// Returns the shared transformer with the given name; see `init(forName:)`.
  ///
  /// Not in Apple's framework.
  public static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
    NamedTransformers.transformer(name) ?? NamedTransformers.standard(name)
  }
}

/// A protocol whose extension adds `init(forName:)` to `ValueTransformer`.
///
/// The initialiser is in a protocol extension, because an initialiser that a class declares cannot return an
/// existing object.
public protocol TransformerInitializable {}

extension ValueTransformer: TransformerInitializable {}

extension TransformerInitializable where Self: ValueTransformer {
  /// Returns the shared transformer with the given name.
  ///
  /// The transformer is the one registered under the name, or one of those that `NSValueTransformerName`
  /// names. For any other name, finds the class with this name in the same way as a managed object class,
  /// creates a transformer with the `init()` of the class, and registers the transformer. Returns nil if
  /// there is no such class, or if the transformer is not an instance of the class on which this initialiser
  /// is called.
  ///
  /// - Complexity: a dictionary look-up for a registered name; otherwise also a search for a class.
  ///
  /// Source: documented, “init(forName:)”.
  public init?(forName name: NSValueTransformerName) {
    guard let transformer = ValueTransformer.named(name) as? Self else { return nil }
    self = transformer
  }
}

/// Converts secure keyed archives to objects of allowed classes, and objects to archives; subclasses can
/// allow more classes.
///
/// Source: documented, “NSSecureUnarchiveFromDataTransformer”.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  /// The classes that an archive may contain, at the top level and nested.
  ///
  /// By default these are Foundation's classes for strings, numbers, dates, data, URLs, UUIDs, null and
  /// collections. An override adds classes; Foundation's classes are always allowed.
  open class var allowedTopLevelClasses: [AnyClass] { SecureArchive.ordinary }
  open override class func transformedValueClass() -> AnyClass { NSObject.self }
  /// Returns the object decoded from an archive; nil if the value is not data that can be unarchived, or if
  /// the archive names a class that is not allowed.
  open override func transformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap {
      SecureArchive.object(from: $0, allowing: type(of: self).allowedTopLevelClasses)
    }
  }
  /// Returns the archive of an object; nil if the object cannot be archived.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    value.flatMap { SecureArchive.data(from: $0) }
  }
}
