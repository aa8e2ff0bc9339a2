// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// XML and binary stores that are added with another version of their model.
@Suite("Migrations of XML and binary stores")
struct FileStoreMigrationTests {
  private static let types: [NSPersistentStore.StoreType] = [.xml, .binary]
  private static let first = """
    <entity name="Team"><attribute name="name" optional="YES" attributeType="String"/>\
    <attribute name="wins" optional="YES" attributeType="Integer 32"/>\
    <relationship name="players" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
    destinationEntity="Player" inverseName="team" inverseEntity="Player"/></entity>\
    <entity name="Player"><attribute name="name" optional="YES" attributeType="String"/>\
    <relationship name="team" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Team" inverseName="players" inverseEntity="Team"/></entity>
    """
  private static let second =
    first.replacing(
      #"name="wins" optional="YES" attributeType="Integer 32""#,
      with: #"name="victories" optional="YES" attributeType="Integer 32" elementID="wins""#
    ) + #"<entity name="Cup"/>"#
  private static let impossible = first.replacing(
    #"name="wins" optional="YES" attributeType="Integer 32""#,
    with: #"name="wins" attributeType="Date""#
  )

  /// A folder with a model of two versions, removed with the last reference.
  private final class Place {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("file-migration-\(UUID().uuidString)")
    var store: URL { folder.appendingPathComponent("Store") }
    private var models: URL { folder.appendingPathComponent("Cups.xcdatamodeld") }

    init(_ second: String) throws {
      for (name, body) in [("Cups", FileStoreMigrationTests.first), ("Cups 2", second)] {
        let version = models.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Data("<model>\(body)</model>".utf8)
          .write(to: version.appendingPathComponent("contents"))
      }
      let current = try PropertyListSerialization.data(
        fromPropertyList: ["_XCCurrentVersionName": "Cups 2.xcdatamodel"],
        format: .xml,
        options: 0
      )
      try current.write(to: models.appendingPathComponent(".xccurrentversion"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func model(_ version: String?) throws -> NSManagedObjectModel {
      let url = version.map { models.appendingPathComponent("\($0).xcdatamodel") } ?? models
      return try #require(NSManagedObjectModel(contentsOf: url))
    }

    func context(
      _ version: String?,
      _ type: NSPersistentStore.StoreType,
      _ options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ]
    ) throws -> NSManagedObjectContext {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model(version))
      try coordinator.addPersistentStore(type: type, at: store, options: options)
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      return context
    }

    /// Saves a team with two players as a store of the first version, and returns the URI of the team.
    func fill(_ type: NSPersistentStore.StoreType) throws -> URL {
      let context = try context("Cups", type)
      return try context.performAndWait {
        let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
        team.setValuesForKeys(["name": "A", "wins": 3])
        for name in ["one", "two"] {
          let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
          player.setValue(name, forKey: "name")
          team.mutableOrderedSetValue(forKey: "players").insert(player, at: 0)
        }
        try context.save()
        let coordinator = try #require(context.persistentStoreCoordinator)
        coordinator.setMetadata(["mine": 1], for: try #require(coordinator.persistentStores.first))
        return team.objectID.uriRepresentation()
      }
    }
  }

  @Test("keep objects, IDs, the UUID and the program's metadata", arguments: types)
  func inferred(_ type: NSPersistentStore.StoreType) throws {
    let place = try Place(Self.second)
    let uri = try place.fill(type)
    for _ in 0..<2 {
      let context = try place.context(nil, type)
      let coordinator = try #require(context.persistentStoreCoordinator)
      let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
      try context.performAndWait {
        let team = try context.existingObject(with: id)
        #expect(team.value(forKey: "victories") as? Int == 3)
        let players = (team.value(forKey: "players") as? NSOrderedSet)?.array ?? []
        #expect(
          players.map { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
            == ["two", "one"]
        )
        _ = NSEntityDescription.insertNewObject(forEntityName: "Cup", into: context)
        try context.save()
      }
      #expect(coordinator.persistentStores.first?.metadata["mine"] as? Int == 1)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path).sorted()
    #expect(names == ["Cups.xcdatamodeld", "Store"])
  }

  @Test(
    "that the options do not ask for, or that are not possible, change nothing",
    arguments: types
  )
  func refused(_ type: NSPersistentStore.StoreType) throws {
    let place = try Place(Self.impossible)
    _ = try place.fill(type)
    let before = try Data(contentsOf: place.store)
    let plain = #expect(throws: NSError.self) { try place.context(nil, type, [:]) }
    #expect(plain?.code == NSPersistentStoreIncompatibleVersionHashError)
    let error = #expect(throws: NSError.self) { try place.context(nil, type) }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    #expect(error?.userInfo[NSFilePathErrorKey] as? String == place.store.path)
    #expect(error?.localizedFailureReason?.contains("wins") == true)
    let reader = #expect(throws: NSError.self) {
      try place.context(
        nil,
        type,
        [
          NSMigratePersistentStoresAutomaticallyOption: true, NSReadOnlyPersistentStoreOption: true,
        ]
      )
    }
    #expect(reader?.code == NSMigrationError)
    #expect(try Data(contentsOf: place.store) == before)
  }

  @Test("of which the old model is nowhere name the store's entities")
  func missingModel() throws {
    let place = try Place(Self.second)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    try coordinator.addPersistentStore(type: .xml, at: place.store)
    let error = #expect(throws: NSError.self) { try place.context(nil, .xml) }
    #expect(error?.code == NSMigrationMissingSourceModelError)
    #expect(error?.localizedFailureReason?.contains("Chapter") == true)
  }

  @Test("can be carried out by a migration manager, into a file of any type", arguments: types)
  func manager(_ type: NSPersistentStore.StoreType) throws {
    let place = try Place(Self.second)
    _ = try place.fill(type)
    let (old, new) = (try place.model("Cups"), try place.model("Cups 2"))
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old,
      destinationModel: new
    )
    for destination in Self.types + [.sqlite] {
      let url = place.folder.appendingPathComponent("New \(destination.rawValue)")
      // The second migration adds the objects to the store of the first one.
      for count in 1...2 {
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        try manager.migrateStore(
          from: place.store,
          type: type,
          mapping: mapping,
          to: url,
          type: destination
        )
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
        try coordinator.addPersistentStore(type: destination, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
          let teams = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team"))
          #expect(
            teams.map { $0.value(forKey: "victories") as? Int } == Array(repeating: 3, count: count)
          )
          #expect(teams.allSatisfy { ($0.value(forKey: "players") as? NSOrderedSet)?.count == 2 })
        }
      }
    }
    let error = #expect(throws: NSError.self) {
      try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
        from: place.store,
        type: type,
        mapping: mapping,
        to: place.store,
        type: type
      )
    }
    #expect(error?.code == NSMigrationManagerDestinationStoreError)
  }
}
