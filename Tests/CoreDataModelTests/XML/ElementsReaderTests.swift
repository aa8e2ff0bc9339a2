// SPDX-License-Identifier: Apache-2.0

import Foundation
import SharedFolder
import Testing
import _CoreDataModel

/// Models in the binary files of tools before Xcode 4.
struct ElementsReaderTests {
  /// An elements file of two entities, that is also where the fuzzer starts from.
  static let seed = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus/model/03.elements")

  /// Entities, attributes, relationships and fetch requests, as another reader counted them.
  static let counts: [String: [Int]] = [
    "Automattic__simplenote-ios__Simplenote": [1, 16, 0, 0],
    "Lax__Learn-iOS-Swift-by-Examples__TopSongs": [2, 6, 2, 0],
    "RestKit__RestKit__Data_Model": [18, 57, 40, 0],
    "rentzsch__mogenerator__MyModel": [6, 10, 16, 0],
    "rentzsch__mogenerator__mogeneratorTestMule_DataModel": [5, 20, 3, 4],
    "rentzsch__mogenerator__mogeneratorTestMule_DataModel~3": [5, 18, 3, 4],
    "rentzsch__mogenerator__mogeneratorTestMule_DataModel~5": [5, 18, 3, 1],
    "rentzsch__mogenerator__mogeneratorTestMule_DataModel~7": [5, 18, 2, 1],
    "rentzsch__mogenerator__mogeneratorTestMule_DataModel~9": [3, 16, 2, 1],
  ]

  @Test(
    .enabled(if: Shared.has("fixtures/models/old-binary-format"), "\(Shared.absent)"),
    arguments: counts
  )
  func everyFileOfTheCollectionIsRead(name: String, counts: [Int]) throws {
    let file = Shared.url("fixtures/models/old-binary-format/\(name).elements")
    let draft = try ModelFile.draft(at: file)
    let model = try ModelDefinition(draft)
    let properties = draft.entities.flatMap(\.properties)
    let attributes = properties.filter { if case .attribute = $0.kind { true } else { false } }
    #expect(
      [
        draft.entities.count, attributes.count, properties.count - attributes.count,
        draft.fetchRequestTemplates.count,
      ] == counts
    )
    let text = try ModelFile.draft(xml: ModelFile.xml(draft), file: "contents")
    #expect(Set(try ModelDefinition(text).facts).symmetricDifference(model.facts) == [])
  }

  @Test func whatAnElementsFileSaysIsWhatItsTextWouldSay() throws {
    let text = """
      <model userDefinedModelVersionIdentifier="1">
        <entity name="Team" representedClassName="Team" isAbstract="YES">
          <attribute name="name" attributeType="String" defaultValueString="None" maxValueString="25"
            indexed="YES"/>
          <attribute name="wins" optional="YES" attributeType="Integer 32" defaultValueString="0"/>
          <relationship name="players" optional="YES" toMany="YES" ordered="YES"
            deletionRule="Cascade" destinationEntity="Player" inverseName="team"
            inverseEntity="Player"/>
          <userInfo><entry key="a" value="b"/></userInfo>
        </entity>
        <entity name="Club" parentEntity="Team"/>
        <entity name="Player">
          <relationship name="team" minCount="1" maxCount="1" deletionRule="Nullify"
            destinationEntity="Team" inverseName="players" inverseEntity="Team"/>
          <uniquenessConstraints>
            <uniquenessConstraint><constraint value="team"/></uniquenessConstraint>
          </uniquenessConstraints>
        </entity>
        <fetchRequest name="named" entity="Team" predicateString="name == $NAME"/>
        <configuration name="Local"><memberEntity name="Player"/></configuration>
      </model>
      """
    let expected = try ModelDefinition(ModelFile.draft(xml: Data(text.utf8), file: "contents"))
    let read = try ModelDefinition(ModelFile.draft(at: Self.seed))
    #expect(Set(read.facts).symmetricDifference(expected.facts) == [])
    #expect(read.facts.contains { $0.contains("named") })
    #expect(read.facts.contains { $0.contains("Local") })
  }

  @Test func aVersionFolderWithoutTextIsReadFromItsElements() throws {
    let folder = try ModelFolder(versions: ["Old"])
    let version = folder.url.appendingPathComponent("Old.xcdatamodel")
    try Data(contentsOf: Self.seed).write(to: version.appendingPathComponent("elements"))
    #expect(try ModelFile.draft(at: folder.url).entities.map(\.name) == ["Old"])
    try FileManager.default.removeItem(at: version.appendingPathComponent("contents"))
    let draft = try ModelFile.draft(at: folder.url)
    #expect(draft.entities.map(\.name) == ["Club", "Player", "Team"])
    #expect(
      try ModelFile.versions(of: folder.url).map(\.contents.lastPathComponent) == ["elements"]
    )
    try ModelFile.write(draft, to: version)
    #expect(try ModelFile.contents(at: version).lastPathComponent == "contents")
    #expect(try ModelFile.draft(at: version).entities.map(\.name) == ["Club", "Player", "Team"])
  }

  /// The seed with each text that is one of the keys replaced.
  private func message(replacing texts: [String: PropertyListNode]) throws -> String {
    var list = try PropertyListReader.root(of: Data(contentsOf: Self.seed))
    let objects = (list["$objects"]?.array ?? []).map { node -> PropertyListNode in
      if let instead = node["$classname"]?.text.flatMap({ texts[$0] }) {
        return .dictionary(["$classname": instead])
      }
      let word = node.text ?? node.integer.map(String.init)
      return word.flatMap { texts[$0] } ?? node
    }
    if case .dictionary(var members) = list {
      members["$objects"] = .array(objects)
      list = .dictionary(members)
    }
    do {
      _ = try ModelDefinition(
        ModelFile.draft(xml: PropertyListWriter.data(list), file: "Old/elements")
      )
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    (
      "XDPMModel", PropertyListNode.text("Other"),
      "the archive does not contain a model's elements: its root object has the class Other, not "
        + "XDPMModel"
    ),
    (
      "XDPMEntity", .text("Other"), "Club: the archived object has the class Other, not XDPMEntity"
    ),
    (
      "XDPMAttribute", .text("XDPMFetchedProperty"),
      "Team.name: properties of the class XDPMFetchedProperty are not supported"
    ),
    ("700", .integer(701), "Team.name: the attribute type 701 is unknown"),
    (
      "25", .text("long"),
      "Team.name: maxValueString is “long”, not a length (an integer of 0 or more)"
    ),
    (
      "XD_PRK_destination", .text("Elsewhere"),
      "Player.team: <relationship> has no destinationEntity"
    ),
  ])
  func anElementsFileThatCannotBeReadIsAnErrorWithItsPlace(
    found: String,
    instead: PropertyListNode,
    reason: String
  ) throws {
    #expect(try message(replacing: [found: instead]) == "Old/elements: " + reason)
  }

  @Test func whatManyPropertiesShareIsCountedForEachOfThem() throws {
    // A hundred properties with one text of 100 kB.
    let count = 100
    func reference(_ index: Int) -> PropertyListNode { .reference(index) }
    func dictionary(_ keys: Range<Int>, _ value: Int) -> PropertyListNode {
      .dictionary([
        "NS.keys": .array(keys.map(reference)),
        "NS.objects": .array(Array(repeating: reference(value), count: keys.count)),
      ])
    }
    let names = (0..<count).map { PropertyListNode.text("n\($0)") }
    let fixed: [PropertyListNode] = [
      .text("$null"),
      .dictionary(["$class": reference(2), "_xd_rootPackage": reference(3)]),
      .dictionary(["$classname": .text("XDPMModel")]),
      .dictionary(["XDBucketForClassesstorage": reference(4)]),
      dictionary(16..<17, 5),
      .dictionary(["$class": reference(6), "XDBucketForOwnedAttributesstorage": reference(7)]),
      .dictionary(["$classname": .text("XDPMEntity")]),
      dictionary(16..<16 + count, 8),
      .dictionary(["$class": reference(9), "XDBucketForStereotypesstorage": reference(10)]),
      .dictionary(["$classname": .text("XDPMAttribute")]),
      dictionary(16..<17, 11),
      .dictionary(["XDBucketForOwnedAttributesstorage": reference(12)]),
      dictionary(13..<14, 14),
      .text("XD_PAttK_defaultValueAsString"),
      .dictionary(["_default": reference(15)]),
      .text(String(repeating: "x", count: 100_000)),
    ]
    let data = PropertyListWriter.data(
      .dictionary([
        "$archiver": .text("NSKeyedArchiver"), "$top": .dictionary(["root": reference(1)]),
        "$objects": .array(fixed + names),
      ])
    )
    #expect(data.count < 110_000)
    let error = #expect(throws: ModelError.self) {
      try ModelFile.draft(xml: data, file: "elements")
    }
    #expect(error?.reason.contains("bytes of text together exceed 4,000,000,") == true)
  }
}
