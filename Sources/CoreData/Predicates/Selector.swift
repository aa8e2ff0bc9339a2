// SPDX-License-Identifier: Apache-2.0

/// The name of a method, such as `"localizedStandardCompare:"`.
///
/// Linux has no Objective-C runtime, so only methods that Core Data knows can be called through a selector.
/// Write a selector as a string literal, because `#selector` is not available.
///
/// Source: documented, “Selector”.
public struct Selector: ExpressibleByStringLiteral, Hashable, Sendable, CustomStringConvertible {
  /// The name with its colons.
  ///
  /// Not in Apple's framework.
  public let name: String

  /// Creates a selector with a name, which need not be that of a supported method.
  public init(_ name: String) { self.name = name }

  /// Creates a selector with a name, which need not be that of a supported method.
  public init(stringLiteral name: String) { self.name = name }

  /// The name with its colons.
  public var description: String { name }
}
