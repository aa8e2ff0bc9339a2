// SPDX-License-Identifier: Apache-2.0

import Foundation
import SharedFolder
import Testing
import _CoreDataModel

struct ModelWriterTests {
  @Test(.enabled(if: Shared.has("fixtures/models"), "\(Shared.absent)"))
  func everyModelOfTheCollectionWrittenAndReadAgainSaysTheSame() throws {
    let all = ProcessInfo.processInfo.environment["COREDATA_ALL_FIXTURES"] != nil
    let files = try Shared.files(in: "fixtures/models", extension: "contents").enumerated()
      .filter { all || $0.offset % 13 == 0 }.map(\.element)
    for file in files {
      let data = try Data(contentsOf: file)
      let draft = try ModelFile.draft(xml: data, file: file.path)
      let facts = try ModelDefinition(draft).facts
      let alone = try ModelFile.draft(xml: ModelFile.xml(draft), file: file.path)
      let over = try ModelFile.xml(draft, over: data)
      let again = try ModelFile.draft(xml: over, file: file.path)
      let name = file.lastPathComponent
      #expect(Set(try ModelDefinition(alone).facts).symmetricDifference(facts) == [], "\(name)")
      #expect(Set(try ModelDefinition(again).facts).symmetricDifference(facts) == [], "\(name)")
      // Nothing changed, so nothing is lost: every attribute of every element is there.
      #expect(words(over) == words(data), "\(name)")
    }
    #expect(files.count > 20)
  }

  /// Elements and attributes of an XML text, in any order and spacing.
  private func words(_ data: Data) -> [String] {
    String(decoding: data, as: UTF8.self)
      .matches(of: /<([A-Za-z]+)((?:\s+[A-Za-z]+="[^"]*")*)/).map { element in
        let keys = element.2.matches(of: /([A-Za-z]+)="[^"]*"/).map { String($0.1) }.sorted()
        return "\(element.1) \(keys)"
      }.sorted()
  }

  private let source = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="m" futureSetting="7" userDefinedModelVersionIdentifier="1">
        <entity name="Team" representedClassName="Team" syncable="YES" shine="bright">
            <attribute name="name" optional="YES" attributeType="String" glow="3"><aura x="1"/></attribute>
            <attribute name="wins" optional="NO" attributeType="Integer 16" defaultValueString="0" glow="4"/>
            <attribute name="old" attributeType="String"/>
            <halo>ring</halo>
        </entity>
        <elements><element name="Team" positionX="-63" positionY="-18" width="128" height="88"/></elements>
    </model>
    """

  @Test("A text with a character that XML has no place for is an error that names it")
  func forbiddenCharacters() throws {
    for (text, code) in [("a\u{11}b", "U+0011"), ("\u{FFFE}", "U+FFFE")] {
      var note = EntityDraft(name: "Note")
      note.userInfo = ["hint": text]
      var draft = ModelDraft()
      draft.entities = [note]
      let error = #expect(throws: ModelError.self) { try ModelFile.xml(draft) }
      let place = "the value of the entry hint has the character \(code)"
      #expect(error?.reason.contains(place) == true)
    }
  }

  @Test func whatIsNotUnderstoodIsKeptAndWhatStillHoldsStays() throws {
    let earlier = Data(source.utf8)
    var draft = try ModelFile.draft(xml: earlier, file: "contents")
    draft.versionIdentifiers = ["2"]
    draft.entities[0].properties.removeAll { $0.name == "old" }
    draft.entities[0].properties[0].isOptional = false
    var added = PropertyDraft(
      name: "born",
      kind: .attribute(AttributeDefinition(type: .date, defaultValue: .date(12)))
    )
    added.userInfo = ["a": "\"<&>\n"]
    draft.entities[0].properties.append(added)
    let data = try ModelFile.xml(draft, over: earlier)
    let text = String(decoding: data, as: UTF8.self)
    for kept in [
      "futureSetting=\"7\"", "shine=\"bright\"", "glow=\"3\"", "<aura x=\"1\"/>",
      "<halo>ring</halo>", "optional=\"NO\"", "glow=\"4\"", "positionX=\"-63\"",
      "userDefinedModelVersionIdentifier=\"2\"",
    ] {
      #expect(text.contains(kept), "\(kept) is lost in \(text)")
    }
    #expect(!text.contains("\"old\""))
    let read = try ModelDefinition(ModelFile.draft(xml: data, file: "contents"))
    #expect(read.facts == (try ModelDefinition(draft)).facts)
    #expect(
      text.range(of: "born").map { $0.lowerBound } ?? text.endIndex < text.range(of: "<elements")
        .map { $0.lowerBound } ?? text.startIndex
    )
  }

  @Test func indexesStayInTheOldFormWhileTheyAreTheSame() throws {
    let text = """
      <model><entity name="Team">
        <attribute name="name" attributeType="String" indexed="YES"/>
        <attribute name="city" attributeType="String"/>
        <compoundIndexes><compoundIndex><index value="name"/><index value="city"/></compoundIndex></compoundIndexes>
      </entity></model>
      """
    var draft = try ModelFile.draft(xml: Data(text.utf8), file: "contents")
    draft.entities[0].properties[1].isOptional = true
    let kept = try ModelFile.xml(draft, over: Data(text.utf8))
    #expect(String(decoding: kept, as: UTF8.self).contains("compoundIndex"))
    #expect(!String(decoding: kept, as: UTF8.self).contains("fetchIndex"))
    draft.entities[0].fetchIndexes.removeAll { $0.name == "name" }
    let written = try ModelFile.xml(draft, over: kept)
    let read = try ModelFile.draft(xml: written, file: "contents")
    #expect(read.entities[0].fetchIndexes == draft.entities[0].fetchIndexes)
  }
}
