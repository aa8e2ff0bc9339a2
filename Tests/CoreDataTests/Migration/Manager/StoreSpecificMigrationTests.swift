// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

/// `usesStoreSpecificMigrationManager`: inferred mapping models that are carried out in SQL.
@Suite("Store-specific migration managers")
struct StoreSpecificMigrationTests {
  private static let text = #"optional="YES" attributeType="String""#

  private static func model(_ body: String, _ more: String = "") throws -> NSManagedObjectModel {
    .tools(
      try InferredMigrationTests.draft("<entity name=\"Team\">\(body)</entity>\(more)")
    )
  }

  private static let photo =
    #"<attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>"#
  private static let old =
    "<attribute name=\"name\" \(text)/><attribute name=\"city\" \(text)/>" + photo
  private static let new =
    "<attribute name=\"title\" \(text) elementID=\"name\"/><attribute name=\"rank\" attributeType=\"Integer 32\" "
    + "defaultValueString=\"5\"/>" + photo

  private final class Setting {
    let file: MigratedFile
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    let mapping: NSMappingModel
    var result: URL { file.folder.appendingPathComponent("result.sqlite") }

    /// Makes a store with the teams p2 to p4; p1 was deleted.
    init(_ new: String = StoreSpecificMigrationTests.new, _ more: String = "") throws {
      source = try model(old)
      destination = try model(new, more)
      file = try MigratedFile()
      try file.open(source) { context, _ in
        for number in 1...4 {
          let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
          team.setValue("team \(number)", forKey: "name")
          team.setValue("Bonn", forKey: "city")
          team.setValue(Data(repeating: UInt8(number), count: 150_000), forKey: "photo")
          try context.save()
          if number == 1 {
            context.delete(team)
            try context.save()
          }
        }
      }
      mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: source,
        destinationModel: destination
      )
    }

    func manager() -> NSMigrationManager {
      NSMigrationManager(sourceModel: source, destinationModel: destination)
    }

    func migrate(_ manager: NSMigrationManager? = nil, to url: URL? = nil) throws {
      try (manager ?? self.manager()).migrateStore(
        from: file.url,
        type: .sqlite,
        mapping: mapping,
        to: url ?? result,
        type: .sqlite
      )
    }

    /// Keys and titles.
    func rows(_ url: URL? = nil) throws -> [String] {
      try SQLFile(url: url ?? result).texts("SELECT Z_PK || ' ' || ZTITLE FROM ZTEAM ORDER BY Z_PK")
    }

    func uuid(_ url: URL) throws -> String? {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)[
        NSStoreUUIDKey
      ] as? String
    }

    func photos(_ url: URL) throws -> [Int] {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: destination)
      try coordinator.addPersistentStore(type: .sqlite, at: url)
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      return try context.performAndWait {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team"))
          .compactMap { ($0.value(forKey: "photo") as? Data)?.count }
      }
    }
  }

  @Test(
    "An inferred mapping model is carried out in SQL, which keeps the keys, in a store of its own"
  )
  func newStore() throws {
    let setting = try Setting()
    let before = try Data(contentsOf: setting.file.url)
    try setting.migrate()
    #expect(try setting.rows() == ["2 team 2", "3 team 3", "4 team 4"])
    #expect(try setting.photos(setting.result) == [150_000, 150_000, 150_000])
    #expect(try setting.uuid(setting.result) != setting.uuid(setting.file.url))
    #expect(try Data(contentsOf: setting.file.url) == before)
    let files = try FileManager.default.contentsOfDirectory(atPath: setting.file.folder.path)
    #expect(files.allSatisfy { !$0.contains("migration") }, "\(files)")
  }

  @Test("MIG-8: without the flag, the migration has three passes, which report their progress")
  func threePasses() throws {
    for isSpecific in [true, false] {
      let setting = try Setting()
      let manager = setting.manager()
      manager.usesStoreSpecificMigrationManager = isSpecific
      var reports: [Float] = []
      let observation = manager.observe(\.migrationProgress) { manager, _ in
        reports.append(manager.migrationProgress)
      }
      try setting.migrate(manager)
      observation.invalidate()
      #expect(reports.isEmpty == isSpecific)
      let rows = try setting.rows()
      #expect(rows.map { $0.dropFirst(2) } == ["team 2", "team 3", "team 4"])
      #expect((rows.first == "2 team 2") == isSpecific)
    }
  }

  @Test("A store is migrated in place if it is also the destination")
  func inPlace() throws {
    let setting = try Setting()
    let uuid = try setting.uuid(setting.file.url)
    try setting.migrate(to: setting.file.url)
    #expect(try setting.rows(setting.file.url) == ["2 team 2", "3 team 3", "4 team 4"])
    #expect(try setting.uuid(setting.file.url) == uuid)
    #expect(try setting.photos(setting.file.url).count == 3)
  }

  @Test(
    "A mapping model that the program has changed, and a subclass of the manager, have three passes"
  )
  func changed() throws {
    let setting = try Setting()
    let title = try #require(setting.mapping.entityMappings[0].attributeMappings)
      .first { $0.name == "title" }
    title?.valueExpression = CoreData.NSExpression(format: "$source.city")
    try setting.migrate()
    #expect(try setting.rows() == ["1 Bonn", "2 Bonn", "3 Bonn"])
    let other = try Setting()
    try other.migrate(OwnManager(sourceModel: other.source, destinationModel: other.destination))
    #expect(try other.rows().first == "1 team 2")
  }

  @Test("Objects are added to an existing destination in three passes")
  func append() throws {
    let setting = try Setting()
    try setting.migrate()
    try setting.migrate()
    #expect(try setting.rows().count == 6)
  }

  @Test("Rows that violate a constraint, and a store of another model, leave no destination")
  func refused() throws {
    let unique =
      #"<uniquenessConstraints><uniquenessConstraint><constraint value="rank"/></uniquenessConstraint>"#
      + "</uniquenessConstraints>"
    let setting = try Setting(Self.new + unique)
    let constraint = #expect(throws: NSError.self) { try setting.migrate() }
    #expect(constraint?.code == NSMigrationConstraintViolationError)
    let other = try Setting()
    try other.migrate(to: other.file.url)
    let again = #expect(throws: NSError.self) { try other.migrate() }
    #expect(again?.code == NSMigrationManagerSourceStoreError)
    for folder in [setting.file.folder, other.file.folder] {
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!files.contains { $0.contains("result") || $0.contains("migration") }, "\(files)")
    }
  }

  @Test("The history of the source stays there")
  func history() throws {
    let setting = try Setting()
    let tracked: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
    try setting.file.open(setting.source, options: tracked) { context, _ in
      NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
        .setValue("team 5", forKey: "name")
      try context.save()
    }
    try setting.migrate()
    #expect(try setting.rows().count == 4)
    let tables = try SQLFile(url: setting.result).texts(
      "SELECT name FROM sqlite_master WHERE name LIKE 'A%'"
    )
    #expect(tables == [])
  }
}

private final class OwnManager: NSMigrationManager {}
