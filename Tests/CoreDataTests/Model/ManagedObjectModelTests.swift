// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("A managed object model")
struct ManagedObjectModelTests {
  @Test("gives own and inherited properties, and takes own ones")
  func inheritance() throws {
    let model = ModelFixtures.football()
    let keeper = try #require(model.entitiesByName["Goalkeeper"])
    #expect(keeper.properties.map(\.name) == ["name", "team", "saves"])
    #expect(keeper.superentity?.name == "Player")
    keeper.properties += [ModelFixtures.attribute("shirt", .integer16)]
    #expect(keeper.properties.map(\.name) == ["name", "team", "saves", "shirt"])
    #expect(model.entitiesByName["Player"]?.properties.map(\.name) == ["name", "team"])
    #expect(keeper.attributesByName["name"] != nil)
    #expect(keeper.relationshipsByName["team"]?.destinationEntity?.name == "Team")
  }

  @Test("takes the sub-entities of the entities it is given")
  func subentities() {
    let child = NSEntityDescription()
    child.name = "Child"
    let parent = NSEntityDescription()
    parent.name = "Parent"
    parent.subentities = [child]
    let model = NSManagedObjectModel()
    model.entities = [parent]
    #expect(Set(model.entitiesByName.keys) == ["Parent", "Child"])
    #expect(child.managedObjectModel === model)
    #expect(child.isKindOf(entity: parent))
    #expect(!parent.isKindOf(entity: child))
  }

  @Test("has Apple's defaults")
  func defaults() {
    let entity = NSEntityDescription()
    #expect(entity.managedObjectClassName == "NSManagedObject")
    #expect(entity.uniquenessConstraints.isEmpty)
    #expect(!entity.isAbstract)
    let relationship = NSRelationshipDescription()
    #expect(relationship.maxCount == 0)
    #expect(relationship.isToMany)
    #expect(relationship.deleteRule == .nullifyDeleteRule)
    #expect(relationship.isOptional && !relationship.isTransient && !relationship.isOrdered)
    let attribute = NSAttributeDescription()
    #expect(attribute.attributeType == .undefinedAttributeType)
    attribute.type = .date
    #expect(attribute.attributeType.rawValue == 900)
    #expect(attribute.attributeValueClassName == "NSDate")
  }

  @Test("is copied deeply, relationships leading to the copies")
  func copies() throws {
    let model = ModelFixtures.football()
    model.setEntities([try #require(model.entitiesByName["Team"])], forConfigurationName: "Cup")
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    #expect(copy == model)
    let team = try #require(copy.entitiesByName["Team"])
    #expect(team !== model.entitiesByName["Team"])
    let players = try #require(team.relationshipsByName["players"])
    #expect(players.destinationEntity === copy.entitiesByName["Player"])
    #expect(
      players.inverseRelationship === copy.entitiesByName["Player"]?.relationshipsByName["team"]
    )
    #expect(players.inverseRelationship?.inverseRelationship === players)
    #expect(copy.entities(forConfigurationName: "Cup")?.first === team)
    team.name = "Club"
    #expect(model.entitiesByName["Team"] != nil)
    #expect(copy != model)
  }

  @Test("knows its configurations")
  func configurations() throws {
    let model = ModelFixtures.football()
    #expect(model.configurations.isEmpty)
    #expect(model.entities(forConfigurationName: "Cup") == nil)
    #expect(model.entities(forConfigurationName: nil)?.count == 3)
    let team = try #require(model.entitiesByName["Team"])
    model.setEntities([team], forConfigurationName: "Cup")
    #expect(model.configurations == ["Cup"])
    #expect(model.entities(forConfigurationName: "Cup") == [team])
  }

  @Test("fits the metadata that have exactly its hashes")
  func compatibility() throws {
    let model = ModelFixtures.football()
    let hashes = model.entityVersionHashesByName
    #expect(hashes.count == 3)
    #expect(hashes["Team"] == model.entitiesByName["Team"]?.versionHash)
    let metadata: [String: Any] = [NSStoreModelVersionHashesKey: hashes]
    #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(!model.isConfiguration(withName: "none", compatibleWithStoreMetadata: metadata))
    let other = ModelFixtures.football()
    other.entitiesByName["Team"]?.attributesByName["name"]?.isOptional = false
    #expect(!other.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
    let found = NSManagedObjectModel(byMerging: [other, model], forStoreMetadata: metadata)
    #expect(found?.entityVersionHashesByName == hashes)
  }

  @Test("merges different entities and refuses two of one name")
  func merging() throws {
    let stadium = NSEntityDescription()
    stadium.name = "Stadium"
    stadium.properties = [ModelFixtures.attribute("name", .string)]
    let other = NSManagedObjectModel()
    other.entities = [stadium]
    let football = ModelFixtures.football()
    let merged = try #require(NSManagedObjectModel(byMerging: [football, other, football]))
    #expect(Set(merged.entitiesByName.keys) == ["Team", "Player", "Goalkeeper", "Stadium"])
    #expect(football.entities.count == 3)
    #expect(
      merged.entitiesByName["Team"]?.relationshipsByName["players"]?.destinationEntity
        === merged.entitiesByName["Player"]
    )
    let changed = ModelFixtures.football()
    changed.entitiesByName["Team"]?.isAbstract = true
    #expect(NSManagedObjectModel(byMerging: [football, changed]) == nil)
  }

  @Test("stays what it was when it goes through the core, for every model file")
  func roundTrips() throws {
    let files = ModelFixtures.modelFiles
    try #require(!files.isEmpty || ModelFixtures.shared == nil)
    for (number, file) in files.enumerated() {
      guard let model = NSManagedObjectModel(contentsOf: file) else { continue }
      let again = NSManagedObjectModel(draft: try model.draft())
      #expect(again == model, "\(file.lastPathComponent)")
      let copy = try #require(model.copy() as? NSManagedObjectModel)
      #expect(copy == model, "\(file.lastPathComponent)")
      // Hashing is slow in debug builds, and equality has compared what enters it.
      guard number % 16 == 0 else { continue }
      #expect(again.versionChecksum == model.versionChecksum)
      #expect(copy.versionChecksum == model.versionChecksum)
    }
  }

  @Test("is nil, with a reason, for a file that is not there or compiled")
  func missingFiles() {
    #expect(
      NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/A.xcdatamodeld")) == nil
    )
    #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/A.momd")) == nil)
  }

  @Test(
    "is nil for a file whose entities lie above one another in a circle, or share a name",
    arguments: [
      #"<entity name="A" parentEntity="B"/><entity name="B" parentEntity="A"/>"#,
      #"<entity name="A" parentEntity="A"/>"#, #"<entity name="A"/><entity name="A"/>"#,
    ]
  )
  func circles(entities: String) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("circle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("contents")
    try Data("<model>\(entities)</model>".utf8).write(to: file)
    #expect(NSManagedObjectModel(contentsOf: file) == nil)
    try Data(#"<model><entity name="A"/></model>"#.utf8).write(to: file)
    #expect(NSManagedObjectModel(contentsOf: file)?.entities.count == 1)
  }

  @Test("clears what leads to an entity that has gone")
  func goneDestination() {
    let relationship = NSRelationshipDescription()
    do {
      let entity = NSEntityDescription()
      relationship.destinationEntity = entity
      #expect(relationship.destinationEntity === entity)
    }
    #expect(relationship.destinationEntity == nil)
  }
}
