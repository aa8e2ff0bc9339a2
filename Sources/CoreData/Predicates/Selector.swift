// SPDX-License-Identifier: Apache-2.0

/// The name of a method, such as `"localizedStandardCompare:"`.
///
/// Linux has no Objective-C runtime, so a selector calls only methods that Core Data knows, or the method
/// with which it was created (`init(_:_:)` of CoreDataCompatibility). Write a selector as a string literal,
/// because `#selector` is not available. Selectors with equal names are equal.
///
/// Source: documented, “Selector”.
public struct Selector: ExpressibleByStringLiteral, Hashable, Sendable, CustomStringConvertible {
  /// Calls a method of `target` with one argument, which a method without parameters ignores.
  package typealias Method = @Sendable (_ target: AnyObject, _ argument: Any?) -> Void

  /// The name with its colons.
  ///
  /// Not in Apple's framework.
  public let name: String
  /// The method that the selector calls; nil for a selector that is only a name.
  package let method: Method?

  /// Creates a selector with a name, which need not be that of a supported method.
  public init(_ name: String) { self.init(name, method: nil) }

  /// Creates a selector with a name, which need not be that of a supported method.
  public init(stringLiteral name: String) { self.init(name, method: nil) }

  package init(_ name: String, method: Method?) {
    self.name = name
    self.method = method
  }

  /// The name with its colons.
  public var description: String { name }

  /// Returns whether two selectors have the same name.
  public static func == (left: Selector, right: Selector) -> Bool { left.name == right.name }

  /// Hashes only the name, because selectors with equal names are equal.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
