// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

struct ModelArchiveTests {
  static let contents = """
    <?xml version="1.0" encoding="UTF-8"?>
    <model userDefinedModelVersionIdentifier="2">
      <entity name="Team" representedClassName="Team" elementID="Squad">
        <attribute name="name" attributeType="String" minValueString="3" defaultValueString="é"/>
        <attribute name="wins" optional="YES" attributeType="Integer 64" maxValueString="9"/>
        <attribute name="fee" optional="YES" attributeType="Decimal" defaultValueString="-12.5"/>
        <attribute name="logo" optional="YES" attributeType="Binary"
            allowsExternalBinaryDataStorage="YES"/>
        <relationship name="players" optional="YES" toMany="YES" ordered="YES"
            deletionRule="Cascade" destinationEntity="Player" inverseName="team"
            inverseEntity="Player"/>
        <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary"
            order="descending"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/>
        </uniquenessConstraint></uniquenessConstraints>
      </entity>
      <entity name="Player">
        <attribute name="born" optional="YES" attributeType="Date" versionHashModifier="2"/>
        <relationship name="team" optional="YES" maxCount="1" destinationEntity="Team"
            inverseName="players" inverseEntity="Team"/>
      </entity>
      <entity name="Keeper" parentEntity="Player">
        <userInfo><entry key="hands" value="2"/></userInfo>
      </entity>
      <configuration name="All"><memberEntity name="Team"/></configuration>
    </model>
    """

  func archive() throws -> KeyedArchive {
    let draft = try ModelFile.draft(xml: Data(Self.contents.utf8), file: "contents")
    let content = try ModelArchive.compressed(ModelDefinition(draft), predicates: NoPredicates())
    return try KeyedArchive(RawDeflate.inflated(content))
  }

  func entities(_ archive: KeyedArchive) -> [String: PropertyListNode] {
    let table = archive[archive.root?["NSEntities"]]
    let keys = archive.members(archive[table?["searchMapping"]]?["keys"])
    return Dictionary(
      uniqueKeysWithValues: zip(
        keys.compactMap(\.text),
        archive.members(table?["values"])
      )
    )
  }

  @Test func theTableOfEntitiesIsSortedByName() throws {
    let archive = try archive()
    #expect(archive.className(archive.root) == "NSManagedObjectModel")
    let table = archive[archive.root?["NSEntities"]]
    #expect(archive.className(table) == "NSKnownKeysDictionary1")
    let keys = archive.members(archive[table?["searchMapping"]]?["keys"]).compactMap(\.text)
    #expect(keys == ["Keeper", "Player", "Team"])
    #expect(archive.members(archive.root?["NSVersionIdentifiers"]) == [.text("2")])
    #expect(archive.dictionary(archive.root?["NSConfigurations"]).keys.sorted() == ["All"])
  }

  @Test func anAttributeHasAppleFlagsValuesAndValidation() throws {
    let archive = try archive()
    let team = archive.dictionary(entities(archive)["Team"]?["NSProperties"])
    let name = try #require(team["name"])
    #expect(archive.className(name) == "NSAttributeDescription")
    #expect(name["_P"] == .integer(0xC1))
    #expect(name["NSAttributeType"] == .integer(700))
    #expect(archive[name["NSDefaultValue"]] == .text("é"))
    #expect(archive.members(name["NSValidationWarnings"]) == [.integer(1670)])
    #expect(team["wins"]?["_P"] == .integer(0xC3))
    #expect(team["logo"]?["NSFlagsKey"] == .integer(4))
    let fee = archive[team["fee"]?["NSDefaultValue"]]
    #expect(fee?["NS.exponent"] == .integer(-1))
    #expect(fee?["NS.negative"] == .bool(true))
    #expect(fee?["NS.mantissa"] == .data(Data([125] + [UInt8](repeating: 0, count: 15))))
    #expect(fee?["NS.length"] == .integer(1))
  }

  @Test func relationshipsReferToTheirInverses() throws {
    let archive = try archive()
    let all = entities(archive)
    let players = archive.dictionary(all["Team"]?["NSProperties"])["players"]
    let team = archive.dictionary(all["Player"]?["NSProperties"])["team"]
    #expect(archive[players?["NSInverseRelationship"]] == team)
    #expect(archive[team?["NSInverseRelationship"]] == players)
    #expect(players?["_P"] == .integer(0x4F3))
    #expect(players?["NSMaxCount"] == .integer(0))
    #expect(players?["NSDeleteRule"] == .integer(2))
  }

  @Test func subentitiesRepeatInheritedPropertiesAsTheirOwn() throws {
    let archive = try archive()
    let all = entities(archive)
    let keeper = try #require(all["Keeper"])
    #expect(archive[keeper["NSSuperentity"]] == all["Player"])
    #expect(archive.dictionary(keeper["NSProperties"]).keys.sorted() == ["born", "team"])
    #expect(archive[archive.dictionary(keeper["NSProperties"])["born"]?["NSEntity"]] == keeper)
    #expect(archive.dictionary(keeper["NSUserInfo"]) == ["hands": .text("2")])
    #expect(archive[all["Team"]?["NSRenamingIdentifier"]] == .text("Squad"))
  }

  @Test func compositeAttributesCannotBeArchived() throws {
    var entity = EntityDraft(name: "Team")
    let attribute = AttributeDefinition(type: .composite)
    entity.properties = [PropertyDraft(name: "address", kind: .attribute(attribute))]
    var draft = ModelDraft()
    draft.entities = [entity]
    let model = try ModelDefinition(draft)
    #expect(throws: ModelError.self) {
      try ModelArchive.compressed(model, predicates: NoPredicates())
    }
  }

  private func reason(_ elements: String) throws -> String {
    let text = "<model>\(elements)</model>"
    let model = try ModelDefinition(ModelFile.draft(xml: Data(text.utf8), file: "contents"))
    let error = #expect(throws: ModelError.self) {
      try ModelArchive.archive(model, form: .compiled, predicates: NoPredicates())
    }
    return error?.explanation ?? ""
  }

  @Test func aPredicateThatCannotBeArchivedIsNamedWithThePartThatHasIt() throws {
    let cannot = "“a == 1”, cannot be archived: Unexpected()"
    let fetched =
      "<entity name='B'/><entity name='A'><fetchedProperty name='f'>"
      + "<fetchRequest name='r' entity='B' predicateString='a == 1'/></fetchedProperty></entity>"
    #expect(try reason(fetched) == "A.f: the predicate, \(cannot)")
    let template = "<entity name='A'/><fetchRequest name='r' entity='A' predicateString='a == 1'/>"
    #expect(
      try reason(template) == "the predicate of the fetch request template “r”, \(cannot)"
    )
    let index =
      "<entity name='A'><fetchIndex name='i' partialIndexPredicate='a == 1'/></entity>"
    #expect(try reason(index) == "A: the predicate of the index “i”, \(cannot)")
    #expect(
      try reason("<fetchRequest name='r' entity='C'/>")
        == "the fetch request template “r” names the entity “C”, which does not exist"
    )
  }

  /// Returns the error of an archived model with the entity `A`, as `object` adds it.
  private func readingError(_ object: (inout KeyedArchiveBuilder) -> PropertyListNode) -> String {
    var builder = KeyedArchiveBuilder()
    let entities = builder.dictionary(.dictionary, [("A", object(&builder))])
    let root = builder.object(
      ArchivedClass(name: "NSManagedObjectModel", ancestors: []),
      ["NSEntities": entities]
    )
    let data = builder.data(root: root)
    let error = #expect(throws: ModelError.self) {
      try ModelArchive.draft(data, predicates: NoPredicates())
    }
    return error?.explanation ?? ""
  }

  private func readingError(
    ofProperty kind: String,
    _ fields: [String: PropertyListNode] = [:]
  ) -> String {
    readingError { builder in
      let property = builder.object(ArchivedClass(name: kind, ancestors: []), fields)
      return builder.object(
        ArchivedClass(name: "NSEntityDescription", ancestors: []),
        ["NSProperties": builder.dictionary(.dictionary, [("x", property)])]
      )
    }
  }

  @Test func aPartOfAnArchiveThatCannotBeReadIsNamedWithTheCause() {
    let missing = readingError { _ in KeyedArchiveBuilder.null }
    #expect(missing == "A: the archive lists this entity, but does not contain it")
    #expect(
      readingError { $0.array(.array, []) }
        == "A: the archived object has the class NSArray, not NSEntityDescription"
    )
    #expect(
      readingError(ofProperty: "NSArray")
        == "A.x: the archived class NSArray is not a property class"
    )
    #expect(
      readingError(
        ofProperty: "NSRelationshipDescription",
        ["_NSDestinationEntityName": .text("A"), "NSMinCount": .integer(-5)]
      ) == "A.x: the minimum count -5 is outside the range -1 to 2147483647"
    )
    #expect(
      readingError(ofProperty: "NSRelationshipDescription")
        == "A.x: the relationship has no destination entity"
    )
    #expect(
      readingError(ofProperty: "NSFetchedPropertyDescription")
        == "A.x: the archive does not contain the fetch request"
    )
    #expect(
      readingError(
        ofProperty: "NSDerivedAttributeDescription",
        ["NSAttributeType": .integer(700), "NSDerivationExpression": .text("x")]
      ) == "A.x: the derivation expression cannot be read: Unexpected()"
    )
  }

  @Test func theClassOfAnotherRootObjectIsNamed() throws {
    var builder = KeyedArchiveBuilder()
    let root = builder.array(.array, [])
    let error = #expect(throws: ModelError.self) {
      try ModelArchive.draft(builder.data(root: root), predicates: NoPredicates())
    }
    #expect(
      error?.reason
        == "the archive does not contain a model: its root object has the class NSArray, not "
        + "NSManagedObjectModel"
    )
  }
}

/// Stands in for the room of predicates where models have none.
struct NoPredicates: ArchivedPredicates {
  struct Unexpected: Error {}
  func predicate(_ node: PropertyListNode?, in archive: KeyedArchive) throws -> String {
    throw Unexpected()
  }
  func expression(_ node: PropertyListNode?, in archive: KeyedArchive) throws -> String {
    throw Unexpected()
  }
  func addPredicate(
    _ format: String,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode { throw Unexpected() }
  func addExpression(
    _ format: String,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode { throw Unexpected() }
}
