// SPDX-License-Identifier: Apache-2.0

/// The attributes and modifiers that were read before a declaration.
package struct DeclarationPrefix {
  private(set) var access: DeclaredAccess?
  private(set) var setterAccess: DeclaredAccess?
  var objectiveCName: String?
  /// Whether the declaration is `static` or `class`.
  private(set) var isStatic = false
  /// The `#if` conditions around `@NSManaged`; nil if the declaration does not have this attribute.
  private var managedConditions: [String]?

  package init() {}

  var isManaged: Bool { managedConditions != nil }

  mutating func managed(in conditions: [String]) { managedConditions = conditions }

  /// Returns `current` and the conditions around `@NSManaged`.
  ///
  /// The member needs accessors only if its attribute is compiled as well.
  func conditions(_ current: [String]) -> [String] {
    current + (managedConditions ?? []).filter { !current.contains($0) }
  }

  mutating func clear() { self = DeclarationPrefix() }

  /// Moves past a modifier and records its access level; returns false if the identifier is not a modifier.
  package mutating func readModifier(_ cursor: inout TokenCursor) -> Bool {
    let text = cursor.text
    let level: DeclaredAccess? =
      switch text {
      case "private": .private
      case "fileprivate": .fileprivate
      case "internal": .internal
      case "package": .package
      case "public": .public
      case "open": .open
      default: nil
      }
    guard level != nil || Self.others.contains(text) else { return false }
    if text == "static" || text == "class" { isStatic = true }
    cursor.advance()
    guard cursor.isAt("("), Self.withArgument.contains(text) else {
      access = level ?? access
      return true
    }
    var inside = cursor
    inside.advance()
    if let level, inside.text == "set" { setterAccess = level }
    cursor.skipBrackets()
    return true
  }

  private static let others: Set<String> = [
    "class", "static", "final", "dynamic", "override", "lazy", "weak", "unowned", "nonisolated",
    "required", "convenience", "indirect", "mutating", "nonmutating", "optional", "isolated",
  ]
  private static let withArgument: Set<String> = [
    "private", "fileprivate", "internal", "package", "public", "open", "unowned", "nonisolated",
  ]
}
