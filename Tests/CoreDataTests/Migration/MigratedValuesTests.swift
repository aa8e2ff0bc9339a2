// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel
import _CoreDataSQLite

/// Values outside of rows, stores of a configuration, and the statements of a migration.
@Suite struct MigratedValuesTests {
  private static func note(_ more: String, _ text: String = "") throws -> ModelDraft {
    try InferredMigrationTests.draft(
      "<entity name=\"Note\"><attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"
        + "<attribute name=\"image\" optional=\"YES\" attributeType=\"Binary\" \(more)/>\(text)</entity>"
    )
  }

  private static let external = #"allowsExternalBinaryDataStorage="YES""#
  private static let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  private static let small = Data([2, 1, 2, 3])

  /// A store with a large value, a small one, and none.
  private func filled(_ draft: ModelDraft) throws -> MigratedFile {
    let file = try MigratedFile()
    try file.open(draft) { context, _ in
      for (name, image) in [("large", Self.large), ("small", Self.small), ("none", nil)] {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(name, forKey: "name")
        note.setValue(image, forKey: "image")
      }
      try context.save()
    }
    return file
  }

  private func images(_ file: MigratedFile, _ draft: ModelDraft) throws -> [String: Data] {
    try file.open(draft) { context, _ in
      let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
      return Dictionary(
        uniqueKeysWithValues: notes.compactMap { note in
          guard let name = note.value(forKey: "name") as? String else { return nil }
          return (name, note.value(forKey: "image") as? Data ?? Data())
        }
      )
    }
  }

  /// The names of the files of large values.
  private func files(_ file: MigratedFile) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: file.folder.path)
      .filter { $0.contains("_EXTERNAL_DATA/") }
  }

  private static let all = ["large": large, "small": small, "none": Data()]

  @Test(
    "Large values stay in their files, go into rows, and get a tag, as the new model stores them"
  )
  func external() throws {
    let other = #"<attribute name="other" attributeType="String" defaultValueString="x"/>"#
    let inRows = try Self.note("")
    let inFiles = try Self.note(Self.external)
    let inFilesStill = try Self.note(Self.external, other)
    for (from, to, count) in [
      (inFiles, inFilesStill, 1), (inFiles, inRows, 0), (inRows, inFiles, 0),
    ] {
      let file = try filled(from)
      try file.migrate(to: to)
      #expect(try images(file, to) == Self.all)
      #expect(try files(file).count == count)
    }
  }

  @Test("The files of an attribute that is removed go with it, and only if the migration succeeds")
  func removedExternal() throws {
    let from = try Self.note(Self.external)
    let name = "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"
    let to = try InferredMigrationTests.draft("<entity name=\"Note\">\(name)</entity>")
    let file = try filled(from)
    let mapping = try ModelMapping(inferredFrom: ModelDefinition(from), to: ModelDefinition(to))
    var options = SQLiteStoreOptions(path: file.url.path)
    options.observer = StatementObserver(onStart: { text in
      if text.hasPrefix("COMMIT") { throw CocoaError(.userCancelled) }
    })
    #expect(throws: (any Error).self) { try StoreMigration(mapping, options: options).run() }
    #expect(try images(file, from) == Self.all)
    #expect(try files(file).count == 1)
    try file.migrate(to: to)
    #expect(try file.content(to).objects.count == 3)
    #expect(try files(file) == [])
  }

  @Test("A store of one configuration is migrated with that configuration")
  func configuration() throws {
    func draft(_ body: String, _ members: String) throws -> ModelDraft {
      try InferredMigrationTests.draft(
        InferredMigrationTests.team + #"<entity name="Log"/>"# + body
          + "<configuration name=\"Main\"><memberEntity name=\"Team\"/>\(members)</configuration>"
      )
    }
    let (from, to) = (
      try draft("", ""), try draft(#"<entity name="Cup"/>"#, #"<memberEntity name="Cup"/>"#)
    )
    let file = try MigratedFile()
    func add<T>(
      _ draft: ModelDraft,
      _ options: [AnyHashable: Any]?,
      _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
      let coordinator = NSPersistentStoreCoordinator(
        managedObjectModel: NSManagedObjectModel(draft: draft)
      )
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: "Main",
        at: file.url,
        options: options
      )
      defer { try? coordinator.remove(store) }
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      return try context.performAndWait { try body(context) }
    }
    try add(from, nil) { context in
      NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
        .setValue("A", forKey: "name")
      try context.save()
    }
    #expect(throws: NSError.self) { try add(to, nil) { _ in } }
    try add(to, MigratedFile.migrating) { _ in }
    let counts = try add(to, nil) { context in
      _ = NSEntityDescription.insertNewObject(forEntityName: "Cup", into: context)
      try context.save()
      return try ["Team", "Cup"].map {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: $0))
      }
    }
    #expect(counts == [1, 1])
  }

  @Test("An added attribute alters its table alone, in one transaction, and touches no row")
  func statements() throws {
    let text = #"optional="YES" attributeType="String""#
    func draft(_ more: String) throws -> ModelDraft {
      try InferredMigrationTests.draft(
        "<entity name=\"A\"><attribute name=\"a\" \(text)/>\(more)</entity><entity name=\"B\"/>"
      )
    }
    let (from, to) = (
      try draft(""),
      try draft(
        "<attribute name=\"b\" \(text)/>"
          + #"<attribute name="c" attributeType="Integer 32" defaultValueString="5"/>"#
      )
    )
    let file = try MigratedFile()
    try file.open(from) { _, _ in }
    var options = SQLiteStoreOptions(path: file.url.path)
    let log = StatementList()
    options.observer = StatementObserver(onStart: { text in log.append(text) })
    let mapping = try ModelMapping(inferredFrom: ModelDefinition(from), to: ModelDefinition(to))
    _ = try StoreMigration(mapping, options: options).run()
    let writes = log.texts.filter { text in
      !["SELECT", "PRAGMA"].contains { text.hasPrefix($0) }
        && !["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains { text.contains($0) }
    }
    #expect(
      writes == [
        "BEGIN IMMEDIATE", "ALTER TABLE ZA ADD COLUMN ZC INTEGER DEFAULT 5",
        "ALTER TABLE ZA ADD COLUMN ZB VARCHAR", "COMMIT",
      ]
    )
  }

  private final class StatementList: @unchecked Sendable {
    // Unchecked: used on the thread that migrates.
    private(set) var texts: [String] = []
    func append(_ text: String) { texts.append(text) }
  }
}
