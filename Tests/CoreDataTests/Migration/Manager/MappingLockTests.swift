// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Other connections, and what else is in the file, while a store is migrated with a mapping model.
@Suite("Migrations with mapping models beside other connections")
struct MappingLockTests {
  private static let saving =
    "BEGIN IMMEDIATE; INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(99, 3, 1, 'late'); COMMIT"

  private func filled(_ count: Int = 3) throws -> NotesMigration {
    let notes = try NotesMigration()
    try notes.fill(count)
    return notes
  }

  private func tags(_ notes: NotesMigration, _ url: URL) throws -> [String?] {
    try notes.migrated("Tag", by: "name", at: url).map { $0["name"] as? String }
  }

  @Test(
    "A save that waits for the migration of its store is in the migrated store, or is refused",
    arguments: ["WAL", "DELETE"]
  )
  func waiting(_ mode: String) throws {
    for (statement, isAccepted) in [
      (Self.saving, true), (Self.saving.replacingOccurrences(of: "ZTAG", with: "ZFOLDER"), false),
    ] {
      let notes = try filled()
      let url = notes.sourceURL
      try SQLFile(url: url).run("PRAGMA journal_mode = \(mode)")
      let options = [NSSQLitePragmasOption: ["journal_mode": mode] as NSDictionary]
      var writer: WaitingWriter?
      try notes.migrate(to: url, options: options) { writer = WaitingWriter(url, statement) }
      let failure = try #require(writer).wait()
      #expect((failure == nil) == isAccepted, "\(failure ?? "")")
      let late = isAccepted ? ["late"] : []
      #expect(try tags(notes, url) == late + ["tag 0", "tag 1", "tag 2"])
      #expect(try notes.migrated("Entry", by: "rank", at: url).count == 3)
      #expect(try SQLFile(url: url).texts("PRAGMA integrity_check") == ["ok"])
    }
  }

  @Test("A save that waits while objects are added to its store is not lost")
  func appending() throws {
    let notes = try filled()
    try notes.migrate()
    let url = notes.destinationURL
    var writer: WaitingWriter?
    try notes.migrate(to: url) { writer = WaitingWriter(url, Self.saving) }
    #expect(try #require(writer).wait() == nil)
    #expect(try tags(notes, url).filter { $0 == "late" }.count == 1)
    #expect(try notes.migrated("Entry", by: "rank", at: url).count == 6)
  }

  @Test("Other connections can read the store while it is migrated")
  func reading() throws {
    let notes = try filled()
    var count = 0
    try notes.migrate(to: notes.sourceURL) {
      count = try SQLFile(url: notes.sourceURL).count("SELECT COUNT(*) FROM ZNOTE")
    }
    #expect(count == 3)
  }

  @Test("A store that another connection is writing to is waited for, and then named in the error")
  func busy() throws {
    let notes = try filled()
    let before = try SQLFile(url: notes.sourceURL).content()
    let lock = try WriteLock(of: notes.sourceURL)
    let error = #expect(throws: NSError.self) {
      try notes.migrate(
        to: notes.sourceURL,
        options: [NSPersistentStoreTimeoutOption: 0.1 as NSNumber]
      )
    }
    lock.release()
    #expect(error?.code == NSMigrationManagerDestinationStoreError)
    let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(cause?.code == NSPersistentStoreTimeoutError)
    #expect(try SQLFile(url: notes.sourceURL).content() == before)
    try notes.migrate(to: notes.sourceURL)
  }

  @Test("A file that appears at the destination is not replaced")
  func appearing() throws {
    let notes = try filled()
    let error = #expect(throws: NSError.self) {
      try notes.migrate(to: notes.destinationURL) {
        try Data("other".utf8).write(to: notes.destinationURL)
      }
    }
    #expect(error?.code == NSMigrationManagerDestinationStoreError)
    #expect(try Data(contentsOf: notes.destinationURL) == Data("other".utf8))
    #expect(try notes.files().allSatisfy { !$0.contains("migration") })
  }

  // MARK: What is in the file

  @Test("A migration in place keeps the UUID, the journal mode and the tables of the program")
  func kept() throws {
    let notes = try filled()
    let url = notes.sourceURL
    let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    try SQLFile(url: url).run(
      "PRAGMA journal_mode = DELETE; CREATE TABLE Own(A); INSERT INTO Own VALUES (7)"
    )
    let options = [NSSQLitePragmasOption: ["journal_mode": "DELETE"] as NSDictionary]
    try notes.migrate(to: url, options: options)
    let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
    #expect(try SQLFile(url: url).texts("SELECT A FROM Own") == ["7"])
    #expect(try SQLFile(url: url).texts("PRAGMA journal_mode") == ["delete"])
    #expect(try notes.migrated("Entry", by: "rank", at: url).count == 3)
  }

  @Test("A migration in place equals one into a new file, and replaces large values")
  func equal() throws {
    let notes = try NotesMigration(photos: true)
    try notes.fill(4)
    try notes.migrate(to: notes.destinationURL)
    let values = notes.folder.appendingPathComponent(".Notes_SUPPORT/_EXTERNAL_DATA")
    let old = try FileManager.default.contentsOfDirectory(atPath: values.path)
    try notes.migrate(to: notes.sourceURL)
    let new = try FileManager.default.contentsOfDirectory(atPath: values.path)
    #expect(new.count == 2 && Set(old).isDisjoint(with: new))
    let photos = try notes.migrated("Entry", by: "rank", at: notes.sourceURL)
      .map { $0["photo"] as? Data }
    #expect(photos == [NotesMigration.photo(0), NotesMigration.photo(1), nil, nil])
    let files = [notes.sourceURL, notes.destinationURL].map(SQLFile.init)
    let schema = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
    #expect(try files[0].texts(schema) == files[1].texts(schema))
    let tables = "SELECT quote(Z_PK) || ZHEADLINE || quote(ZSHELF) FROM ZENTRY ORDER BY Z_PK"
    #expect(try files[0].texts(tables) == files[1].texts(tables))
    let numbers = "SELECT Z_ENT || Z_NAME || Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT"
    #expect(try files[0].texts(numbers) == files[1].texts(numbers))
  }

  @Test("The transactions of a history are removed, and tokens from before have expired")
  func history() throws {
    let notes = try NotesMigration()
    let options = [NSPersistentHistoryTrackingKey: true as NSNumber]
    func coordinator(_ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(type: .sqlite, at: notes.sourceURL, options: options)
      return coordinator
    }
    func insert(_ entity: String, _ coordinator: NSPersistentStoreCoordinator) throws {
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      _ = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      try context.save()
    }
    func transactions(
      _ coordinator: NSPersistentStoreCoordinator,
      after token: NSPersistentHistoryToken?
    ) throws -> [NSPersistentHistoryTransaction] {
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      return try #require(result?.result as? [NSPersistentHistoryTransaction])
    }
    var token: NSPersistentHistoryToken?
    do {
      let old = try coordinator(notes.source)
      for _ in 0..<3 { try insert("Note", old) }
      token = old.currentPersistentHistoryToken(fromStores: nil)
    }
    try notes.migrate(to: notes.sourceURL, options: options)
    let new = try coordinator(notes.destination)
    #expect(try transactions(new, after: nil).isEmpty)
    let error = #expect(throws: NSError.self) { try transactions(new, after: token) }
    #expect(error?.code == NSPersistentHistoryTokenExpiredError)
    let current = new.currentPersistentHistoryToken(fromStores: nil)
    try insert("Entry", new)
    let changes = try transactions(new, after: current)
    #expect(changes.map { $0.changes?.first?.changedObjectID.entity.name } == ["Entry"])
    #expect(try transactions(new, after: nil).map(\.transactionNumber) == [5])
    #expect(new.persistentStores.first?.isReadOnly == false)
  }

  @Test("Working files that a killed process left are removed when the store is added")
  func left() throws {
    let notes = try filled()
    let names = [".Notes.sqlite.migration.sqlite", ".Notes.sqlite.migration-new.sqlite"]
    for name in names {
      for suffix in ["", "-wal"] {
        try Data("left".utf8).write(to: notes.folder.appendingPathComponent(name + suffix))
      }
    }
    let lock = try WriteLock(of: notes.sourceURL)
    _ = try notes.stack(notes.source, notes.sourceURL)
    #expect(try Set(notes.files()).isSuperset(of: names))
    lock.release()
    _ = try notes.stack(notes.source, notes.sourceURL)
    #expect(try notes.files().allSatisfy { !$0.contains("migration") })
  }

  @Test("A mapping that cannot be carried out leaves a store in place as it was", arguments: 0..<4)
  func refused(_ kind: Int) throws {
    let notes = try NotesMigration {
      if kind == 0 { $0["Entry"]?.propertiesByName["headline"]?.isOptional = false }
    }
    try notes.fill(3)
    let before = try SQLFile(url: notes.sourceURL).content()
    switch kind {
    case 0: notes.note.attributeMappings = []
    case 1: notes.note.sourceEntityName = "Letter"
    case 2: notes.note.attributeMappings = [NotesMigration.property("rank", "$source.title")]
    default: break
    }
    #expect(throws: NSError.self) {
      try notes.migrate(to: notes.sourceURL) { if kind == 3 { throw CocoaError(.userCancelled) } }
    }
    #expect(try SQLFile(url: notes.sourceURL).content() == before)
    #expect(try notes.files().allSatisfy { $0.hasPrefix("Notes.sqlite") })
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    #expect(try notes.stack(notes.source, notes.sourceURL).count(for: request) == 3)
  }

  @Test("A working file that does not fit on the disk leaves the store as it was")
  func fullDisk() throws {
    let notes = try filled(2000)
    let before = try SQLFile(url: notes.sourceURL).content()
    // A limit on the pages of a file stands for the end of the disk; the store has more pages already.
    let options = [NSSQLitePragmasOption: ["max_page_count": "32"] as NSDictionary]
    for url in [notes.sourceURL, notes.destinationURL] {
      let error = #expect(throws: NSError.self) { try notes.migrate(to: url, options: options) }
      let text = "\(error?.localizedFailureReason ?? "")"
      #expect(text.contains("full"), "\(text)")
      #expect(try SQLFile(url: notes.sourceURL).content() == before)
      #expect(try notes.files().allSatisfy { $0.hasPrefix("Notes.sqlite") })
    }
    try notes.migrate(to: notes.sourceURL)
  }

  @Test("The class of the managers of a store is NSMigrationManager")
  func managerClass() {
    #expect(NSPersistentStore.migrationManagerClass() is NSMigrationManager.Type)
  }
}
