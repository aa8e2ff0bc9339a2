// SPDX-License-Identifier: Apache-2.0

/// The name of a message, such as `"localizedStandardCompare:"`.
///
/// Linux has no Objective-C runtime: a selector names one of the methods that Core Data knows.
/// Source: documented (Selector), as a literal instead of `#selector`.
public struct Selector: ExpressibleByStringLiteral, Hashable, Sendable, CustomStringConvertible {
  /// The name with its colons.
  ///
  /// Not in Apple's framework.
  public let name: String

  /// A selector of that name; it need not exist.
  public init(_ name: String) { self.name = name }

  /// A selector of that name; it need not exist.
  public init(stringLiteral name: String) { self.name = name }

  /// The name with its colons.
  public var description: String { name }
}
