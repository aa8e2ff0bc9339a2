// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// The rule for imports of Apple's modules that Linux does not have.
///
/// An import of a module that the file does not use is put into `#if canImport(…)`. An import of Combine, or
/// an import of SwiftUI of which the file uses only Combine's names, is put into `#if canImport(…)` with
/// `CoreDataCompatibility` in `#else`. Other imports are reported.
struct ImportRule: PortRule {
  /// The names of the types that the project declares.
  let declared: Set<String>
  var appliesToInterpolations: Bool { false }

  func finding(at cursor: TokenCursor, in text: PortText) -> PortFinding? {
    guard let (module, end) = Self.importedModule(at: cursor) else { return nil }
    let start = DeclarationStart(before: cursor).offset
    let written = text.text(cursor.token.start..<end)
    if let type = Self.interface(of: module, in: text) {
      var finding = PortFinding.left(
        start,
        "\(written): \(type) is part of a user interface; leave the file out of the target for Linux, or "
          + "put its content inside #if canImport(\(module.name))"
      )
      finding.concernsWholeFile = true
      return finding
    }
    let used = names(of: module, in: text)
    let shown = used.prefix(3).joined(separator: ", ") + (used.count > 3 ? ", …" : "")
    let hasStandIn = !used.isEmpty && module.hasStandIn(for: used)
    if !used.isEmpty, !hasStandIn {
      return .left(start, "\(written): the file uses \(shown); \(module.advice)")
    }
    if let name = Self.absentOperator(among: used, in: text) {
      return .left(
        start,
        "\(written): OpenCombine has no \(name); put its uses inside #if canImport(\(module.name))"
      )
    }
    guard let edits = edits(start..<end, module, hasStandIn: hasStandIn, in: text) else {
      return .left(start, "\(written): write the import on a line of its own, and port again")
    }
    let message =
      hasStandIn
      ? "\(written), of which the file uses \(shown) → inside #if canImport(\(module.name)), with import "
        + "\(CompatibilityImportRule.module) in #else; enable the package trait OpenCombine"
      : "\(written), which the file does not use → inside #if canImport(\(module.name))"
    return .rewritten(start..<end, message, edits)
  }

  /// Returns the module of an import and the end of the import; nil for modules that Linux has, and for
  /// modules that are not Apple's.
  private static func importedModule(at cursor: TokenCursor) -> (AppleModule, Int)? {
    guard cursor.isAt(keyword: "import"), cursor.text(before: 1) != ".",
      cursor.following.kind == .identifier
    else { return nil }
    var rest = cursor
    rest.advance()
    let kinds = ["class", "struct", "enum", "protocol", "typealias", "func", "var", "let"]
    if kinds.contains(rest.text), rest.following.kind == .identifier { rest.advance() }
    guard let module = AppleModule.named(rest.text) else { return nil }
    var end = rest.token.end
    rest.advance()
    while rest.isAt("."), rest.following.kind == .identifier {
      rest.advance()
      end = rest.token.end
      rest.advance()
    }
    return (module, end)
  }

  /// Returns a type that inherits from a user-interface type of the module, as text; nil if none does.
  static func interface(of module: AppleModule, in text: PortText) -> String? {
    var types = text.declarations.types
    while let type = types.popLast() {
      types += type.members
      if ConditionEvaluator.excludes(type.conditions) { continue }
      let inherited =
        type.inherited + (type.kind == .extension ? [type.underlying].compactMap(\.self) : [])
      if let found = inherited.first(where: { module.isInterfaceType($0.text) }) {
        return type.kind == .extension ? "\(type.name)" : "\(type.name): \(found.text)"
      }
    }
    return nil
  }

  /// Returns the names declared by the module that occur in the file's code, in the order of first
  /// occurrence.
  private func names(of module: AppleModule, in text: PortText) -> [String] {
    var found: [String] = []
    for code in text.codes {
      var importLine = 0
      for token in code.tokens {
        guard token.kind == .identifier, !text.isExcluded(token.start) else { continue }
        let name = code.text(token)
        if name == "import" { importLine = token.line }
        // An imported name, as in `import class UIKit.UIColor`, is not a use.
        if token.line == importLine { continue }
        if module.declares(name), !declared.contains(name), !found.contains(name) {
          found.append(name)
        }
      }
    }
    return found
  }

  /// Returns an operator of Combine that the file uses and OpenCombine lacks; nil if there is none.
  private static func absentOperator(among used: [String], in text: PortText) -> String? {
    if let name = used.first(where: AppleModule.absentOperators.contains) { return name }
    if used.isEmpty { return nil }
    // The project can also declare a method named `merge`, so the argument label decides.
    for code in text.codes {
      var cursor = TokenCursor(code)
      while !cursor.isAtEnd {
        if cursor.isAt(keyword: "merge"), cursor.text(before: 1) == ".",
          cursor.following.first == 40
        {
          cursor.advance()
          if code.text(cursor.following) == "with" { return "merge(with:)" }
        }
        cursor.advance()
      }
    }
    return nil
  }

  /// Returns the edits for an import; nil if the line of the import contains other code.
  ///
  /// With `hasStandIn`, `CoreDataCompatibility` is imported on Linux.
  private func edits(
    _ range: Range<Int>,
    _ module: AppleModule,
    hasStandIn: Bool,
    in text: PortText
  ) -> [SourceEdit]? {
    let next = text.skipBlanks(range.upperBound)
    let end = text.lineEnd(of: range.upperBound)
    guard text.skipBlanksBackward(range.lowerBound) <= text.lineStart(of: range.lowerBound),
      next == end || text.bytes[next...].starts(with: Array("//".utf8))
    else { return nil }
    let line = text.newline + text.indentation(at: range.lowerBound)
    // Apple's frameworks re-export Foundation, so the file may use Foundation without importing it.
    let imports = text.declarations.imports
    let needsFoundation = !imports.contains("Foundation") && !imports.contains("CoreData")
    let other =
      hasStandIn ? CompatibilityImportRule.module : needsFoundation ? "Foundation" : nil
    let rest = other.map { line + "#else" + line + "import \($0)" } ?? ""
    return [
      SourceEdit(
        range.lowerBound..<range.lowerBound,
        "#if canImport(\(module.name))" + line
      ),
      SourceEdit(end..<end, rest + line + "#endif"),
    ]
  }
}
