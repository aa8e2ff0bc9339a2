// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import CoreData
import Testing

/// Stores whose writer died in the middle of a transaction with a rollback journal.
@Suite("Hot rollback journals")
struct HotJournalTests {
  /// A copy of a store and its journal, made while a writer was in the middle of a transaction.
  private static func interrupted() throws -> (stack: LibraryStack, copy: URL) {
    let stack = try LibraryStack(
      options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"] as NSDictionary]
    )
    _ = try stack.insert(
      "Tag",
      (0..<400).map { ["name": String(repeating: "\($0 % 10)", count: 900)] }
    )
    let url = try #require(try stack.store.url)
    try stack.container.persistentStoreCoordinator.remove(stack.store)
    let copy = stack.folder.appendingPathComponent("Interrupted.sqlite")
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    let begin =
      "PRAGMA cache_size = 2; BEGIN IMMEDIATE; UPDATE ZTAG SET ZNAME = upper(ZNAME) || 'x'; "
      + "UPDATE Z_METADATA SET Z_UUID = 'half'"
    guard sqlite3_open(url.path, &handle) == SQLITE_OK,
      sqlite3_exec(handle, begin, nil, nil, nil) == SQLITE_OK
    else { throw SQLFile.Failure(message: begin) }
    for end in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: url.path + end, toPath: copy.path + end)
    }
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    return (stack, copy)
  }

  @Test("The metadata of such a store are read, as those of one that was added")
  func metadata() throws {
    let (stack, copy) = try Self.interrupted()
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite,
      at: copy
    )
    #expect((metadata[NSStoreUUIDKey] as? String).flatMap(UUID.init) != nil)
    #expect(
      stack.container.managedObjectModel.isConfiguration(
        withName: nil,
        compatibleWithStoreMetadata: metadata
      )
    )
  }

  @Test("Such a store can be copied to another place, with what was saved before")
  func replaced() throws {
    let (stack, copy) = try Self.interrupted()
    let place = stack.folder.appendingPathComponent("Place.sqlite")
    let coordinator = stack.container.persistentStoreCoordinator
    try coordinator.replacePersistentStore(
      at: place,
      withPersistentStoreFrom: copy,
      type: .sqlite
    )
    #expect(try SQLFile(url: place).count("SELECT COUNT(*) FROM ZTAG WHERE ZNAME LIKE '%x'") == 0)
    #expect(try SQLFile(url: place).count("SELECT COUNT(*) FROM ZTAG") == 400)
  }

  @Test("Metadata can be set in such a store")
  func setMetadata() throws {
    let (stack, copy) = try Self.interrupted()
    try NSPersistentStoreCoordinator.setMetadata(["mine": "yes"], type: .sqlite, at: copy)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite,
      at: copy
    )
    #expect(metadata["mine"] as? String == "yes")
    withExtendedLifetime(stack) {}
  }

  @Test("Such a store is added for writing with what was saved before")
  func added() throws {
    let (stack, copy) = try Self.interrupted()
    let container = NSPersistentContainer(
      name: "Library",
      managedObjectModel: stack.container.managedObjectModel
    )
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: copy)]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    #expect(try container.viewContext.count(for: request) == 400)
    request.predicate = NSPredicate(format: "name ENDSWITH 'x'")
    #expect(try container.viewContext.count(for: request) == 0)
    #expect(!FileManager.default.fileExists(atPath: copy.path + "-journal"))
  }

  @Test("Such a store is not added read-only, and the error names the journal and the way out")
  func readOnly() throws {
    let (stack, copy) = try Self.interrupted()
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: stack.container.managedObjectModel
    )
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        type: .sqlite,
        at: copy,
        options: [NSReadOnlyPersistentStoreOption: true]
      )
    }
    #expect(error?.code == NSPersistentStoreOpenError)
    let text = "\(error?.userInfo ?? [:])"
    #expect(text.contains("Interrupted.sqlite-journal"), "\(text)")
    #expect(text.contains("open the store for writing once"))
    #expect(FileManager.default.fileExists(atPath: copy.path + "-journal"))
  }
}
