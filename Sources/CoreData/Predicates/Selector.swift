// SPDX-License-Identifier: Apache-2.0

/// The name of a method, such as `"localizedStandardCompare:"`.
///
/// Linux has no Objective-C runtime; a selector can only name methods that Core Data supports.
///
/// Source: documented, “Selector”; written as a literal instead of `#selector`.
public struct Selector: ExpressibleByStringLiteral, Hashable, Sendable, CustomStringConvertible {
  /// The name with its colons.
  ///
  /// Not in Apple's framework.
  public let name: String

  /// Creates a selector with that name; the name need not be supported.
  public init(_ name: String) { self.name = name }

  /// Creates a selector with that name; the name need not be supported.
  public init(stringLiteral name: String) { self.name = name }

  /// The name with its colons.
  public var description: String { name }
}
