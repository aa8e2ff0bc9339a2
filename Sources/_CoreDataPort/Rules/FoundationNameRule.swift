// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule that removes `Foundation.` from the names of classes that Foundation on Linux lacks and this
/// library declares, such as `Foundation.ValueTransformer`.
struct FoundationNameRule: PortRule {
  /// The names of the types that the project declares.
  let declared: Set<String>

  private static let names: Set<String> = [
    "ValueTransformer", "NSValueTransformerName", "NSSecureUnarchiveFromDataTransformer",
    "UndoManager",
    "NSExpression", "NSComparisonPredicate", "NSKeyValueObservation", "NSKeyValueObservedChange",
    "NSKeyValueObservingOptions", "NSKeyValueChange",
  ]

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard cursor.isAt(keyword: "Foundation"), cursor.text(before: 1) != ".",
      cursor.text(before: 1) != "import", cursor.following.first == 46  // .
    else { return nil }
    let start = cursor.token.start
    var rest = cursor
    rest.advance()
    rest.advance()
    let name = rest.text
    guard rest.token.kind == .identifier, Self.names.contains(name) else { return nil }
    let written = "Foundation.\(name)"
    if declared.contains(name) {
      return .left(
        start,
        "\(written): the project declares a type \(name), so write CoreData.\(name) for Linux, in #else of "
          + "#if canImport(ObjectiveC)"
      )
    }
    let range = start..<rest.token.start
    return .rewritten(range, "\(written) → \(name)", [SourceEdit(range, "")])
  }
}
