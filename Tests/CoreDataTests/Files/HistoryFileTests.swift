// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Histories in files: Apple's, and what a process that is killed leaves.
@Suite("Histories in files")
struct HistoryFileTests {
  private struct Opened {
    let folder: URL
    let context: NSManagedObjectContext
    let file: SQLFile
  }

  /// A copy of a store of the collection, with the model that it keeps.
  private func open(_ name: String, _ options: [String: NSObject]) throws -> Opened {
    let fixture = try #require(FixtureStore.all.first { $0.name.contains(name) })
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("history-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = URL(fileURLWithPath: try fixture.copy(to: folder))
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: try NSManagedObjectModel(storedAt: url)
    )
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: options
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return Opened(folder: folder, context: context, file: SQLFile(url: url))
  }

  private func changes(_ context: NSManagedObjectContext) throws -> [NSPersistentHistoryChange] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
    return transactions.flatMap { $0.changes ?? [] }
  }

  @Test(
    "A system's own history reads: kinds, what updates changed, what deletions left",
    .enabled(if: FixtureStore.isThere, "no shared folder")
  )
  func systemStore() throws {
    let opened = try open("RMAdminStore", [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
    defer { try? FileManager.default.removeItem(at: opened.folder) }
    let changes = try changes(opened.context)
    let kinds = Dictionary(grouping: changes, by: \.changeType).mapValues(\.count)
    #expect(kinds == [.insert: 9897, .update: 2816, .delete: 7216])
    #expect(Set(changes.compactMap(\.transaction?.transactionNumber)).count == 939)
    let words = Set(changes.map(HistoryStack.words))
    // A block is added to a usage, time to a category, and so on: what the app does.
    for expected in [
      "update Usage lastUpdatedDate", "update Usage blocks lastUpdatedDate",
      "update UsageCategory totalTimeInSeconds",
      "update UsageCategory timedItems totalTimeInSeconds",
      "update UsageTimedItem totalTimeInSeconds", "update UserDeviceState installedApps",
      "update UsageBlock lastEventDate longestSessionEndDate screenTimeInSeconds",
    ] {
      #expect(words.contains(expected))
    }
    let app = changes.first { $0.tombstone?["bundleIdentifier"] as? String == "com.skout.SKOUT" }
    #expect(app?.changedObjectID.entity.name == "InstalledApp")
    #expect(app?.tombstone?["installedLocally"] as? Bool == true)
    #expect(app?.tombstone?["sortKey"] is UUID)
    #expect(app?.transaction?.bundleID == "com.apple.ScreenTimeAgent")
  }

  @Test(
    "Bits follow inheritance, and to-ones into a hierarchy take two",
    .enabled(if: FixtureStore.isThere, "no shared folder")
  )
  func hierarchies() throws {
    let opened = try open(
      "NoteStore__belkasoft",
      [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]
    )
    defer { try? FileManager.default.removeItem(at: opened.folder) }
    let words = Set(try changes(opened.context).map(HistoryStack.words))
    for expected in [
      "update ICNote modificationDate snippet title", "update ICNoteData data",
      "update ICCloudState currentLocalVersion localVersionDate",
    ] {
      #expect(words.contains(expected), "\(words.filter { $0.hasPrefix("update") }.sorted())")
    }
  }

  @Test(
    "A foreign store's history goes on where it ended",
    .enabled(if: FixtureStore.isThere, "no shared folder")
  )
  func foreignStore() throws {
    let opened = try open("ResourcesManager", HistoryStack.option)
    defer { try? FileManager.default.removeItem(at: opened.folder) }
    let before = try changes(opened.context)
    #expect(before.count == 55)
    let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: opened.context)
    item.setValue("Anvil", forKey: "name")
    try opened.context.save()
    item.setValue("Hammer", forKey: "name")
    try opened.context.save()
    let after = try changes(opened.context)
    #expect(after.prefix(55).map(\.changeID) == before.map(\.changeID))
    #expect(after.suffix(2).map(\.changeID) == [56, 57])
    #expect(after.suffix(2).map(\.transaction?.transactionNumber) == [39, 40])
    #expect(after.suffix(2).map(HistoryStack.words) == ["insert Item", "update Item name"])
    for (number, table) in [
      (16001, "ACHANGE"), (16002, "ATRANSACTION"), (16003, "ATRANSACTIONSTRING"),
    ] {
      let last = "SELECT Z_MAX = (SELECT MAX(Z_PK) FROM \(table)) FROM Z_PRIMARYKEY WHERE Z_ENT ="
      #expect(try opened.file.count("\(last) \(number)") == 1, "\(table)")
    }
    // As Apple's own update of that entity.
    #expect(
      try opened.file.count("SELECT ZCOLUMNS = x'40' FROM ACHANGE WHERE Z_PK = 57") == 1
    )
  }

  @Test("An index of the history that is missing is there again after the store was added")
  func missingIndex() throws {
    let history = try HistoryStack()
    _ = history.stack.make("Tag", ["name": "a"])
    try history.context.save()
    let url = try #require(history.stack.store.url)
    let file = SQLFile(url: url)
    let indexes =
      "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name LIKE 'A%' ORDER BY name"
    let before = try file.texts(indexes)
    try history.coordinator.remove(history.stack.store)
    try file.run("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX")
    #expect(try file.texts(indexes).count == before.count - 1)
    try history.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: HistoryStack.option
    )
    #expect(try file.texts(indexes) == before)
  }

  // MARK: Death

  /// The file of the test that runs in the process `id`; its child finds it by its parent's ID.
  private static func file(of id: Int32) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("history-killed-\(id).sqlite")
  }

  /// Saves a tag, then kills its own process when a statement starts that begins so.
  private static func saveAndDie(at statement: String) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: file(of: getppid()),
      options: HistoryStack.option
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    for isLast in [false, true] {
      if isLast {
        store.statements.setOnStart { text in
          if text.hasPrefix(statement) { kill(getpid(), SIGKILL) }
        }
      }
      _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      try context.save()
    }
  }

  @Test("kill -9 anywhere in a save leaves rows and history in step")
  func killed() async throws {
    let url = Self.file(of: getpid())
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: url.path + suffix)
      }
    }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      try HistoryFileTests.saveAndDie(at: "INSERT INTO ZTAG")
    }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      try HistoryFileTests.saveAndDie(at: "INSERT INTO ATRANSACTION(")
    }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      try HistoryFileTests.saveAndDie(at: "COMMIT")
    }
    let file = SQLFile(url: url)
    for table in ["ZTAG", "ACHANGE", "ATRANSACTION"] {
      #expect(try file.count("SELECT COUNT(*) FROM \(table)") == 3, "\(table)")
    }
    #expect(
      try file.count("SELECT COUNT(*) FROM ACHANGE JOIN ZTAG AS t ON t.Z_PK = ZENTITYPK") == 3
    )
  }
}
