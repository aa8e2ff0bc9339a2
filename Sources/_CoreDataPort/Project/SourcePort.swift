// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration
import _CoreDataModel

/// The port of a project's sources to Linux.
///
/// The port finds code that Swift on Linux refuses, and rewrites it if the result also builds on Apple's
/// systems.
///
/// The text of strings and comments is not changed. Text in `#if` branches that are not compiled on Linux is
/// left alone, so a second port changes nothing.
package struct SourcePort {
  /// A source file before the rewriting.
  package struct Input: Sendable {
    package let path: String
    package let bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
      self.path = path
      self.bytes = bytes
    }
  }

  private let inputs: [Input]
  private let declarations: [SourceDeclarations]
  private let rules: [any PortRule]
  private let managedNames: Set<String>

  /// Creates a port of the sources; the models supply the properties of generated classes.
  package init(sources: [Input], models: [ModelDefinition] = []) {
    inputs = sources
    declarations = sources.map { DeclarationScanner.scan($0.bytes, file: $0.path) }
    let keys = ClassKeys(sources: declarations, models: models)
    managedNames = keys.managedNames
    let declared = Self.names(of: declarations.flatMap(\.types))
    rules = [
      ImportRule(declared: declared), CompatibilityImportRule(), AttributeRule(),
      KeyPathRule(keys: keys), SelectorRule(), FetchRequestRule(keys: keys),
      InitializerRule(keys: keys), FormatArgumentsRule(),
      FoundationNameRule(declared: declared), RuntimeRule(),
    ]
  }

  /// Returns the names of the types and of the types nested in them, without extensions.
  private static func names(of types: [TypeDeclaration]) -> Set<String> {
    types.reduce(into: []) { names, type in
      if type.kind != .extension { names.insert(type.name) }
      names.formUnion(Self.names(of: type.members))
    }
  }

  /// Returns the sources with their findings, in the order in which they were passed.
  ///
  /// With `all`, sources that have nothing to do with Core Data are examined too.
  ///
  /// - Complexity: linear in the size of the sources.
  package func ported(all: Bool = false) -> [PortedSource] {
    zip(inputs, declarations).map { ported($0, $1, all: all) }
  }

  private func ported(
    _ input: Input,
    _ declarations: SourceDeclarations,
    all: Bool
  ) -> PortedSource {
    let text = PortText(input.bytes, declarations: declarations)
    let uses = usesCoreData(text)
    return PortedSource(
      path: input.path,
      bytes: input.bytes,
      findings: uses || all ? findings(in: text) : [],
      usesCoreData: uses
    )
  }

  private func findings(in text: PortText) -> [PortFinding] {
    if let line = text.unfinishedLine {
      let offset = text.offset(ofLine: line)
      return [
        .left(offset, "a string or comment that begins here does not end; nothing is rewritten")
      ]
    }
    var found: [PortFinding] = []
    for (place, code) in text.codes.enumerated() {
      // Rules that insert line breaks skip interpolations, because a string on one line cannot contain line
      // breaks.
      let rules = place == 0 ? rules : rules.filter(\.appliesToInterpolations)
      var cursor = TokenCursor(code)
      while !cursor.isAtEnd {
        if let finding = finding(at: cursor, in: text, rules), !text.isExcluded(finding.offset) {
          found.append(text.keepsComments(finding) ? finding : finding.losingComment)
        }
        cursor.advance()
      }
    }
    found = PortFinding.sorted(found)
    // If a finding concerns the whole file, the other findings are dropped, because the file is not
    // rewritten.
    return found.first(where: \.concernsWholeFile).map { [$0] } ?? found
  }

  private func finding(
    at cursor: TokenCursor,
    in text: PortText,
    _ rules: [any PortRule]
  ) -> PortFinding? {
    for rule in rules {
      if let finding = rule.finding(at: cursor, in: text) { return finding }
    }
    return nil
  }

  /// Returns whether a source imports Core Data, or names a Core Data type or a managed object class.
  private func usesCoreData(_ text: PortText) -> Bool {
    if text.declarations.imports.contains("CoreData") { return true }
    let prefixes = ["NSManaged", "NSFetch", "NSPersistent"]
    return text.codes.contains { code in
      code.tokens.contains { token in
        guard token.kind == .identifier else { return false }
        let name = code.text(token)
        return managedNames.contains(name) || prefixes.contains { name.hasPrefix($0) }
      }
    }
  }
}
