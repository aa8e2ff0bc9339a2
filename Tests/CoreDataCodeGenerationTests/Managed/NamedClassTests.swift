// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataCodeGeneration
import _CoreDataModel

/// The generated classes through which transformers and policies are found by the names in models.
@Suite struct NamedClassTests {
  private func output(_ source: String, policies: [String] = []) throws -> ManagedAccessors.Output {
    let model = try ModelDefinition(
      Generated.draft(
        """
        <entity name="Item"><attribute name="colour" optional="YES" attributeType="Transformable" \
        valueTransformerName="ColourTransformer"/></entity>
        """
      )
    )
    return ManagedAccessors.generate(
      module: "Shop",
      texts: [("A.swift", source)],
      models: [model],
      policies: policies
    )
  }

  private func named(_ source: String, policies: [String] = []) throws -> [String] {
    let lines = try output(source, policies: policies).text.components(separatedBy: "\n")
    return lines.indices.filter { lines[$0].contains("_NamedClass") }
      .map { "\(lines[$0]) \(lines[$0 + 1].drop { $0 == " " })" }
  }

  @Test(
    arguments: [
      ("enum Nest { class ColourTransformer: ValueTransformer {} }", "Nest.ColourTransformer"),
      (
        "extension Nest { class ColourTransformer: ValueTransformer {} }\nenum Nest {}",
        "Nest.ColourTransformer"
      ),
      ("@objc(ColourTransformer) class Paint: ValueTransformer {}", "Paint"),
      (
        "#if canImport(ObjectiveC)\n@objc(ColourTransformer)\n#endif\nfinal class Paint: Base {}",
        "Paint"
      ),
      ("@objc(ColourTransformer) class ColourTransformer: ValueTransformer {}", nil),
      ("class ColourTransformer: ValueTransformer {}", nil),
      ("class OtherTransformer: ValueTransformer {}", nil),
      ("enum Nest { private class ColourTransformer: ValueTransformer {} }", nil),
      ("#if os(macOS)\n@objc(ColourTransformer) class Paint: ValueTransformer {}\n#endif", nil),
      ("let name = \"@objc(ColourTransformer)\"", nil),
    ] as [(String, String?)]
  )
  func aTransformerWithAnotherNameThanItsClassHasAGeneratedClass(
    source: String,
    path: String?
  ) throws {
    let expected = path.map {
      [
        "final class _CoreDataNamed_ColourTransformer: _NamedClass { override class var _class: AnyClass "
          + "{ \($0).self }"
      ]
    }
    #expect(try named(source) == expected ?? [])
    #expect(try output(source).problems.isEmpty)
  }

  @Test func aPolicyInAnotherTypeHasAGeneratedClass() throws {
    let source = "enum Policies { class NoteToNote: NSEntityMigrationPolicy {} }"
    #expect(
      try named(source, policies: ["App.NoteToNote", "NoteToNote"]) == [
        "final class _CoreDataNamed_NoteToNote: _NamedClass { override class var _class: AnyClass "
          + "{ Policies.NoteToNote.self }"
      ]
    )
  }

  @Test func aPrivatePolicyIsAWarning() throws {
    let source = "private class NoteToNote: NSEntityMigrationPolicy {}"
    #expect(
      try output(source, policies: ["NoteToNote"]).problems.map(\.description) == [
        "A.swift:1: warning: NoteToNote: the class is private, so migrations do not find the policy "
          + "“NoteToNote” of a mapping model; make the class internal, or register it with MigrationPolicyClasses"
      ]
    )
    #expect(try named(source, policies: ["NoteToNote"]) == [])
  }
}
