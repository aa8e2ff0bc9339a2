// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Stores as files: destroyed, replaced, saved as others, and their metadata.
@Suite struct StoreFilesTests {
  private let stack: LibraryStack
  private let url: URL
  private var coordinator: NSPersistentStoreCoordinator {
    stack.container.persistentStoreCoordinator
  }

  init() throws {
    stack = try LibraryStack()
    url = try #require(stack.store.url)
  }

  private func file(_ name: String) -> URL { stack.folder.appendingPathComponent(name) }

  private func save(_ titles: String...) throws {
    for title in titles { _ = stack.make("Book", ["title": title]) }
    try stack.context.save()
  }

  /// The titles in the file at `url`, read by a stack of their own.
  private func titles(at url: URL) throws -> [String] {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    defer { try? coordinator.remove(store) }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }.sorted()
  }

  private func code(_ body: () throws -> Void) -> Int {
    do {
      try body()
      return 0
    } catch {
      return (error as NSError).code
    }
  }

  // MARK: Destroying

  @Test("A destroyed store is gone from its coordinator, and added again it is empty")
  func destroyedStore() throws {
    try save("kept?")
    try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: nil)
    #expect(coordinator.persistentStores.isEmpty)
    #expect(FileManager.default.fileExists(atPath: url.path))
    stack.container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(coordinator.persistentStores.count == 1)
    #expect(try titles(at: url).isEmpty)
    #expect(try SQLFile(url: url).count("SELECT auto_vacuum FROM pragma_auto_vacuum") == 2)
  }

  @Test("The errors for stores without a file and for removed stores name the reason")
  func storesWithoutFiles() throws {
    func reason(_ body: () throws -> Void) -> String {
      let error = #expect(throws: NSError.self) { try body() }
      let reason = error?.localizedFailureReason ?? ""
      return "\(error?.code ?? 0) \(reason) \(error?.localizedDescription ?? "")"
    }
    let memory = URL(fileURLWithPath: "/dev/null")
    #expect(
      reason { try coordinator.destroyPersistentStore(at: memory, type: .sqlite) }
        .hasPrefix("134091 /dev/null is the URL of every SQLite store in memory")
    )
    let remote = try #require(URL(string: "https://example.com/a.sqlite"))
    #expect(
      reason {
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: remote)
      }.hasPrefix("134091 https://example.com/a.sqlite is not a file URL.")
    )
    #expect(
      reason {
        try NSPersistentStoreCoordinator.setMetadata(nil, type: .inMemory, at: url)
      }.hasPrefix("134091 Stores of type InMemory are not backed by a file.")
    )
    let absent = url.deletingLastPathComponent().appendingPathComponent("absent.sqlite")
    #expect(
      reason {
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: absent)
      }.contains("cannot be read. The file \(absent.path) does not exist.")
    )
    let store = try #require(coordinator.persistentStore(for: url))
    #expect(
      reason { _ = try coordinator.migratePersistentStore(store, to: url, type: .sqlite) }
        .contains("Migrate to another URL, or remove that store")
    )
    let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    #expect(reason { try other.remove(store) }.contains("which was added to another coordinator."))
    try coordinator.remove(store)
    #expect(reason { try coordinator.remove(store) }.contains("which was removed from it."))
  }

  @Test("A store that was destroyed may be removed afterwards, as many programs do")
  func destroyedThenRemoved() throws {
    let store = try stack.store
    try coordinator.destroyPersistentStore(at: url, type: .sqlite)
    try coordinator.remove(store)
    #expect(code { try coordinator.remove(store) } == 0)
  }

  @Test("A file that is no store is emptied too; a missing one becomes an empty one")
  func destroyedDamage() throws {
    let damaged = file("damaged.sqlite")
    try Data(repeating: 7, count: 50_000).write(to: damaged)
    #expect(code { _ = try titles(at: damaged) } == 259)
    try coordinator.destroyPersistentStore(at: damaged, type: .sqlite)
    #expect(try titles(at: damaged).isEmpty)
    try coordinator.destroyPersistentStore(at: file("none.sqlite"), type: .sqlite)
    #expect(try Data(contentsOf: file("none.sqlite")).isEmpty)
    #expect(try titles(at: file("none.sqlite")).isEmpty)
    let lost = file("no folder").appendingPathComponent("none.sqlite")
    #expect(code { try coordinator.destroyPersistentStore(at: lost, type: .sqlite) } == 4)
    let memory = URL(fileURLWithPath: "/dev/null")
    #expect(code { try coordinator.destroyPersistentStore(at: memory, type: .sqlite) } == 134_091)
    try coordinator.destroyPersistentStore(at: memory, type: .inMemory)
    #expect(code { try coordinator.destroyPersistentStore(at: url, ofType: "Odd") } == 134_000)
  }

  @Test("Another stack that has the file open sees it empty")
  func destroyedUnderOthers() throws {
    try save("a")
    let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    try other.destroyPersistentStore(at: url, type: .sqlite)
    #expect(try titles(at: url).isEmpty)
  }

  // MARK: Replacing

  @Test("A replaced store has the rows of the other, of its log too, and the other stays as it is")
  func replacedStore() throws {
    try save("a", "b")
    let backup = file("backup.sqlite")
    try coordinator.replacePersistentStore(at: backup, withPersistentStoreFrom: url, type: .sqlite)
    #expect(coordinator.persistentStores.count == 1)
    try save("c")
    #expect(try titles(at: backup) == ["a", "b"])
    try coordinator.replacePersistentStore(
      at: url,
      destinationOptions: nil,
      withPersistentStoreFrom: backup,
      sourceOptions: nil,
      ofType: NSSQLiteStoreType
    )
    #expect(try titles(at: url) == ["a", "b"])
    #expect(try titles(at: backup) == ["a", "b"])
  }

  @Test("A damaged store, and one with pages of another size, can be replaced")
  func replacedDamage() throws {
    try save("a")
    let damaged = file("damaged.sqlite")
    try Data(repeating: 7, count: 50_000).write(to: damaged)
    try coordinator.replacePersistentStore(at: damaged, withPersistentStoreFrom: url, type: .sqlite)
    #expect(try titles(at: damaged) == ["a"])
    let small = file("small.sqlite")
    try SQLFile(url: small).run(
      "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; CREATE TABLE t(x)"
    )
    try coordinator.replacePersistentStore(at: small, withPersistentStoreFrom: url, type: .sqlite)
    #expect(try titles(at: small) == ["a"])
  }

  @Test("What cannot be a source leaves the destination whole")
  func replacedByNothing() throws {
    try save("a")
    let text = file("text.sqlite")
    try Data("no database, but a text".utf8).write(to: text)
    let none = file("none.sqlite")
    #expect(
      code {
        try coordinator.replacePersistentStore(
          at: url,
          withPersistentStoreFrom: none,
          type: .sqlite
        )
      } == 260
    )
    #expect(
      code {
        try coordinator.replacePersistentStore(
          at: url,
          withPersistentStoreFrom: text,
          type: .sqlite
        )
      } == 259
    )
    #expect(try titles(at: url) == ["a"])
  }

  @Test("Large values go with a store that replaces another; a destroyed store's are gone")
  func largeValues() throws {
    let photos = try StoredPhotos(["blue", "red"])
    let coordinator = photos.stack.container.persistentStoreCoordinator
    let original = try #require(photos.stack.store.url)
    let backup = photos.stack.folder.appendingPathComponent("Backup.sqlite")
    let folder = photos.stack.folder.appendingPathComponent(".Backup_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: folder.appendingPathComponent(UUID().uuidString))
    try coordinator.replacePersistentStore(
      at: backup,
      withPersistentStoreFrom: original,
      type: .sqlite
    )
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
        == Set(photos.names.values)
    )
    try coordinator.destroyPersistentStore(at: original, type: .sqlite)
    #expect(throws: (any Error).self) { try photos.files() }
    #expect(FileManager.default.fileExists(atPath: folder.path))
  }

  // MARK: Saving as

  @Test("A store saved as another takes its place with its objects; the old file stays")
  func savedAs() throws {
    let book = stack.make("Book", ["title": "a"])
    try stack.context.save()
    let old = try stack.store
    let copy = file("copy.sqlite")
    let new = try coordinator.migratePersistentStore(
      old,
      to: copy,
      options: nil,
      withType: NSSQLiteStoreType
    )
    #expect(coordinator.persistentStores == [new] && new.url == copy)
    #expect(new.identifier != old.identifier)
    book.setValue("b", forKey: "title")
    try stack.context.save()
    #expect(book.objectID.persistentStore === new)
    #expect(try titles(at: copy) == ["b"])
    #expect(try titles(at: url) == ["a"])
  }

  @Test("A store with a history is saved as one that can be written to without it")
  func savedAsWithoutHistory() throws {
    let stack = try LibraryStack(options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    let coordinator = stack.container.persistentStoreCoordinator
    _ = try stack.insert("Book", [["title": "a"]])
    let copy = stack.folder.appendingPathComponent("copy.sqlite")
    let new = try coordinator.migratePersistentStore(stack.store, to: copy, type: .sqlite)
    #expect(!new.isReadOnly)
    _ = try stack.insert("Book", [["title": "b"]])
    #expect(try titles(at: copy) == ["a", "b"])
  }

  @Test("A store is added again by the name of its configuration, as a backup does")
  func configurationOfAStore() throws {
    let store = try stack.store
    let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let again = try other.addPersistentStore(
      ofType: store.type,
      configurationName: store.configurationName,
      at: store.url,
      options: [NSReadOnlyPersistentStoreOption: true]
    )
    #expect(again.configurationName == store.configurationName)
  }

  // MARK: Options

  @Test("A store is written anew or analysed when it is added, where its options ask for it")
  func upkeep() throws {
    try save("a")
    try coordinator.remove(stack.store)
    let file = SQLFile(url: url)
    try file.run("CREATE TABLE filling(x); INSERT INTO filling VALUES (zeroblob(200000))")
    try file.run("DROP TABLE filling")
    #expect(try file.count("PRAGMA freelist_count") > 40)
    let statistics = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"
    for option in [NSSQLiteManualVacuumOption, NSSQLiteAnalyzeOption] {
      for isReadOnly in [true, false] {
        #expect(try file.count(statistics) == 0)
        let store = try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType,
          configurationName: nil,
          at: url,
          options: [option: true, NSReadOnlyPersistentStoreOption: isReadOnly]
        )
        try coordinator.remove(store)
      }
      #expect(try file.count("PRAGMA freelist_count") == 0)
    }
    #expect(try file.count(statistics) == 1)
    #expect(try titles(at: url) == ["a"])
  }

  // MARK: Metadata

  @Test("Metadata are read and written without a stack, open or not")
  func metadata() throws {
    let identifier = try stack.store.identifier
    var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType,
      at: url,
      options: nil
    )
    #expect(metadata[NSStoreUUIDKey] as? String == identifier)
    #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
    #expect(Library.model().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    metadata["mine"] = "yes"
    metadata[NSStoreModelVersionHashesKey] = nil
    try NSPersistentStoreCoordinator.setMetadata(
      metadata,
      forPersistentStoreOfType: NSSQLiteStoreType,
      at: url,
      options: nil
    )
    #expect(try stack.store.metadata["mine"] as? String == "yes")
    try coordinator.remove(stack.store)
    let again = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    #expect(again["mine"] as? String == "yes" && again[NSStoreModelVersionHashesKey] != nil)
  }

  @Test("Metadata hold lists and dictionaries; what no property list holds is refused, key by key")
  func metadataValues() throws {
    let date = Date(timeIntervalSinceReferenceDate: 3)
    let mine: [String: Any] = ["list": ["a", 1, true, date], "map": ["k": [Data([1])]]]
    let store = try stack.store
    coordinator.setMetadata(["mine": mine], for: store)
    let read = try #require(coordinator.metadata(for: store)["mine"] as? [String: Any])
    #expect(NSDictionary(dictionary: read) == NSDictionary(dictionary: mine))
    let error = #expect(throws: CocoaError.self) {
      try NSPersistentStoreCoordinator.setMetadata(
        ["mine": ["where": url]],
        type: .sqlite,
        at: url
      )
    }
    #expect(error?.errorCode == 3852)
    #expect(error?.localizedDescription.contains("“mine.where”") == true)
    #expect(coordinator.metadata(for: store)["mine"] != nil)
  }

  @Test("Metadata that a store cannot take leave it as it is, and the program goes on")
  func metadataOfAReadOnlyStore() throws {
    try coordinator.remove(stack.store)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: [NSReadOnlyPersistentStoreOption: true]
    )
    coordinator.setMetadata(["mine": "yes"], for: store)
    #expect(coordinator.metadata(for: store)["mine"] == nil)
  }

  @Test("Metadata of a store that cannot be read any more are those that were read last")
  func metadataReadLast() throws {
    let store = try stack.store
    coordinator.setMetadata(["mine": "yes"], for: store)
    #expect(store.metadata["mine"] as? String == "yes")
    try coordinator.remove(store)
    #expect(store.metadata["mine"] as? String == "yes")
    #expect(store.metadata[NSStoreModelVersionHashesKey] != nil)
  }

  @Test("Metadata of a missing file and of one that is no store are errors that say so")
  func metadataOfNothing() throws {
    let text = file("text.sqlite")
    try Data("no database, but a text".utf8).write(to: text)
    for (url, expected) in [(file("none.sqlite"), 260), (text, 259)] {
      #expect(
        code {
          _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        }
          == expected
      )
      #expect(
        code { try NSPersistentStoreCoordinator.setMetadata([:], type: .sqlite, at: url) }
          == expected
      )
    }
    #expect(!FileManager.default.fileExists(atPath: file("none.sqlite").path))
  }
}
