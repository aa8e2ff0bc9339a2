// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataSQLite

/// Stores that are saved as others, replaced and destroyed where something fails on the way: each is as it
/// was, or all that it was to become.
@Suite struct StoreFilesFailureTests {
  /// A store with two large values and the place for a copy.
  private struct Shop {
    let photos: StoredPhotos
    let store: NSPersistentStore
    var coordinator: NSPersistentStoreCoordinator {
      photos.stack.container.persistentStoreCoordinator
    }
    var folder: URL { photos.stack.folder }
    var copy: URL { folder.appendingPathComponent("Copy.sqlite") }
    var copiedValues: URL { folder.appendingPathComponent(".Copy_SUPPORT/_EXTERNAL_DATA") }

    init() throws {
      photos = try StoredPhotos(["blue", "red"])
      store = try photos.stack.store
    }

    /// Another store at the copy's place, with one cover and a large value that nobody names.
    func fillPlace() throws -> String {
      let coordinator = NSPersistentStoreCoordinator(
        managedObjectModel: photos.stack.container.managedObjectModel
      )
      let store = try coordinator.addPersistentStore(type: .sqlite, at: copy)
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      let cover = NSEntityDescription.insertNewObject(forEntityName: "Cover", into: context)
      cover.setValue("before", forKey: "colour")
      cover.setValue(Data(repeating: 1, count: 200_000), forKey: "photo")
      try context.save()
      try coordinator.remove(store)
      let names = try FileManager.default.contentsOfDirectory(atPath: copiedValues.path)
      return try #require(names.first)
    }

    /// The store is registered and whole, reads its large values, and takes a save.
    func checkWhole(_ place: Comment) throws {
      try #require(coordinator.persistentStores == [store], place)
      let contents = try photos.contents()
      #expect(contents.compactMap { $0 } == ["blue", "red"].map { Data($0.utf8) }, place)
      let context = photos.stack.context
      let tag = photos.stack.make("Tag", ["name": "\(place)"])
      try context.save()
      #expect(tag.objectID.persistentStore === store, place)
      let file = SQLFile(url: try #require(store.url))
      #expect(try file.texts("PRAGMA integrity_check") == ["ok"], place)
    }

    /// Names in the folder but for those of logs.
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    }

    /// The colours in the file at the copy's place, each with what is in its large value.
    static func covers(_ file: URL) throws -> [String: Data?] {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoredPhotos.model())
      let store = try coordinator.addPersistentStore(type: .sqlite, at: file)
      defer { try? coordinator.remove(store) }
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      var covers: [String: Data?] = [:]
      for cover in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Cover")) {
        covers[cover.text("colour") ?? ""] = cover.value(forKey: "photo") as? Data
      }
      return covers
    }
  }

  private static let whole: [String: Data?] = ["blue": Data("blue".utf8), "red": Data("red".utf8)]

  // MARK: What is refused

  @Test(
    "Options that the new store cannot have leave the old one, and nothing at the new place",
    arguments: [true, false]
  )
  func refusedOptions(isTaken: Bool) throws {
    let shop = try Shop()
    if isTaken { _ = try shop.fillPlace() }
    let before = try shop.names()
    #expect(throws: NSError.self) {
      try shop.coordinator.migratePersistentStore(
        shop.store,
        to: shop.copy,
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSPersistentStoreStagedMigrationManagerOptionKey: "not a manager",
        ],
        type: .sqlite
      )
    }
    try shop.checkWhole("refused")
    #expect(try shop.names() == before)
    if isTaken { #expect(try Shop.covers(shop.copy).keys.sorted() == ["before"]) }
  }

  @Test("A place that cannot hold the large values leaves everything as it was")
  func refusedValues() throws {
    let shop = try Shop()
    try Data().write(to: shop.folder.appendingPathComponent(".Copy_SUPPORT"))
    let before = try shop.names()
    #expect(throws: NSError.self) {
      try shop.coordinator.migratePersistentStore(shop.store, to: shop.copy, type: .sqlite)
    }
    try shop.checkWhole("no folder")
    #expect(try shop.names() == before)
  }

  @Test("A store is not saved as itself, whatever its path is called")
  func asItself() throws {
    let shop = try Shop()
    let link = shop.folder.appendingPathComponent("link.sqlite")
    try FileManager.default.createSymbolicLink(
      at: link,
      withDestinationURL: #require(shop.store.url)
    )
    #expect(throws: NSError.self) {
      try shop.coordinator.migratePersistentStore(
        shop.store,
        to: link,
        options: [NSPersistentStoreTimeoutOption: 0.01 as NSNumber],
        type: .sqlite
      )
    }
    try shop.checkWhole("itself")
  }

  @Test("A copy whose large values would be the original's is refused")
  func sharedValues() throws {
    let shop = try Shop()
    let twin = shop.folder.appendingPathComponent("Library.backup")
    #expect(throws: NSError.self) {
      try shop.coordinator.replacePersistentStore(
        at: twin,
        withPersistentStoreFrom: #require(shop.store.url),
        type: .sqlite
      )
    }
    #expect(!FileManager.default.fileExists(atPath: twin.path))
    try shop.checkWhole("shared")
  }

  @Test("Large values stay where another store's name differs in the extension alone")
  func valuesOfTwins() throws {
    let shop = try Shop()
    let twin = shop.folder.appendingPathComponent("Library.old")
    let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    try other.remove(other.addPersistentStore(type: .sqlite, at: twin))
    try other.destroyPersistentStore(at: twin, type: .sqlite)
    try shop.checkWhole("destroyed twin")
    let empty = shop.folder.appendingPathComponent("Empty.sqlite")
    try other.remove(other.addPersistentStore(type: .sqlite, at: empty))
    try other.replacePersistentStore(at: twin, withPersistentStoreFrom: empty, type: .sqlite)
    try shop.checkWhole("replaced twin")
  }

  @Test("A store that somebody else keeps locked stays with its coordinator")
  func locked() throws {
    let shop = try Shop()
    let file = try #require(shop.store.url)
    let lock = try WriteLock(of: file)
    defer { lock.release() }
    let options = [NSPersistentStoreTimeoutOption: 0.01 as NSNumber]
    #expect(throws: NSError.self) {
      try shop.coordinator.destroyPersistentStore(at: file, type: .sqlite, options: options)
    }
    let empty = shop.folder.appendingPathComponent("Empty.sqlite")
    let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    try other.remove(other.addPersistentStore(type: .sqlite, at: empty))
    #expect(throws: NSError.self) {
      try shop.coordinator.replacePersistentStore(
        at: file,
        destinationOptions: options,
        withPersistentStoreFrom: empty,
        type: .sqlite
      )
    }
    lock.release()
    try shop.checkWhole("locked")
  }

  @Test("A large value whose copy was broken off is copied again")
  func brokenOffValue() throws {
    let shop = try Shop()
    try FileManager.default.createDirectory(
      at: shop.copiedValues,
      withIntermediateDirectories: true
    )
    let name = try #require(shop.photos.names["blue"])
    try Data("bl".utf8).write(to: shop.copiedValues.appendingPathComponent(name))
    try shop.coordinator.migratePersistentStore(shop.store, to: shop.copy, type: .sqlite)
    #expect(try Shop.covers(shop.copy) == Self.whole)
  }

  @Test("A log that outlived its database does not get into a copy at its place")
  func strayLog() throws {
    let shop = try Shop()
    _ = try shop.fillPlace()
    let log = shop.folder.appendingPathComponent("Copy.sqlite-wal")
    try SQLFile.leaveLog(shop.copy, "UPDATE ZCOVER SET ZCOLOUR = 'stray'", at: log)
    try FileManager.default.removeItem(at: shop.copy)
    try shop.coordinator.migratePersistentStore(shop.store, to: shop.copy, type: .sqlite)
    #expect(try Shop.covers(shop.copy) == Self.whole)
  }

  @Test("What a context saves while a store is saved as another is in the new one, or fails")
  func savesBeside() async throws {
    let shop = try Shop()
    let context = shop.photos.stack.container.newBackgroundContext()
    let names = (0..<200).map { "beside \($0)" }
    async let saved: [String] = context.perform {
      names.filter { name in
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue(name, forKey: "name")
        do {
          try context.save()
          return true
        } catch {
          context.rollback()
          return false
        }
      }
    }
    try shop.coordinator.migratePersistentStore(shop.store, to: shop.copy, type: .sqlite)
    let expected = await saved
    let found = try shop.photos.stack.reread("Tag").compactMap { $0.text("name") }
    #expect(Set(found) == Set(expected))
  }

  @Test("Nobody saves to a store whose place is another's; one that keeps its place takes saves")
  func lastWrites() throws {
    let shop = try Shop()
    let rows = try #require(shop.store.rows as? SQLiteStore)
    #expect(throws: CocoaError.self) {
      try rows.endingWrites { throw CocoaError(.fileWriteUnknown) }
    }
    try shop.checkWhole("kept")
    try rows.endingWrites {}
    _ = shop.photos.stack.make("Tag")
    #expect(throws: NSError.self) { try shop.photos.stack.context.save() }
    #expect(try shop.photos.contents().count == 2)
  }

  // MARK: What fails

  private enum Deed: CaseIterable {
    case migrating, overwriting, replacing, destroying

    func carryOut(_ shop: Shop) throws {
      let coordinator = shop.coordinator
      switch self {
      case .migrating, .overwriting:
        try coordinator.migratePersistentStore(shop.store, to: shop.copy, type: .sqlite)
      case .replacing:
        try coordinator.replacePersistentStore(
          at: #require(shop.store.url),
          withPersistentStoreFrom: shop.copy,
          type: .sqlite
        )
      case .destroying:
        try coordinator.destroyPersistentStore(at: #require(shop.store.url), type: .sqlite)
      }
    }
  }

  /// Fails each call of the engine in turn, later ones every third, until the deed meets no failure any
  /// more.
  private static func failEach(_ deed: Deed) throws {
    var last: (shop: Shop, value: String?)?
    for number in 0... where number < 50 || number % 3 == 0 {
      let (shop, value) = try last ?? filled(deed)
      last = nil
      let before = try shop.names()
      EngineCalls.stop(after: number, .fails)
      var failure: (any Error)?
      do { try deed.carryOut(shop) } catch { failure = error }
      let met = EngineCalls.end()
      let place: Comment = "\(deed), call \(number)"
      if !met {
        #expect(failure == nil && number > 8, place)
        return
      }
      if failure == nil { continue }
      try shop.checkWhole(place)
      #expect(try shop.names() == before, place)
      if deed == .migrating {
        last = (shop, value)
        continue
      }
      let left = try Shop.covers(shop.copy)
      if deed == .overwriting, left == whole { continue }
      #expect(left == ["before": Data(repeating: 1, count: 200_000)], place)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: shop.copiedValues.path) == [value],
        place
      )
      last = (shop, value)
    }
  }

  private static func filled(_ deed: Deed) throws -> (Shop, String?) {
    let shop = try Shop()
    return (shop, deed == .migrating ? nil : try shop.fillPlace())
  }

  @Test("Whichever call of the engine fails, a store is saved as another as a whole or not at all")
  func failingMigration() async {
    await #expect(processExitsWith: .success) { try StoreFilesFailureTests.failEach(.migrating) }
    await #expect(processExitsWith: .success) { try StoreFilesFailureTests.failEach(.overwriting) }
  }

  @Test("Whichever call of the engine fails, a store is replaced or destroyed, or as it was")
  func failingReplacement() async {
    await #expect(processExitsWith: .success) { try StoreFilesFailureTests.failEach(.replacing) }
    await #expect(processExitsWith: .success) { try StoreFilesFailureTests.failEach(.destroying) }
  }

  // MARK: Death

  /// Where a test of the process `id` leaves what its children make and read.
  private static func folder(of id: Int32) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("files-killed-\(id)")
  }

  /// Saves the store in its parent's folder as another and dies at the call whose number is there; or
  /// after all, with a mark.
  private static func migrateAndDie() throws {
    let folder = folder(of: getppid())
    let number = try String(contentsOf: folder.appendingPathComponent("number"), encoding: .utf8)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoredPhotos.model())
    let store = try coordinator.addPersistentStore(
      type: .sqlite,
      at: folder.appendingPathComponent("Library.sqlite")
    )
    EngineCalls.stop(after: Int(number) ?? 0, .kills)
    try coordinator.migratePersistentStore(
      store,
      to: folder.appendingPathComponent("Copy.sqlite"),
      type: .sqlite
    )
    try Data().write(to: folder.appendingPathComponent("done"))
    kill(getpid(), SIGKILL)
  }

  @Test(
    "kill -9 anywhere leaves the old store whole and no half of a new one",
    .serialized,
    arguments: [true, false]
  )
  func killed(isTaken: Bool) async throws {
    let folder = Self.folder(of: getpid())
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = RandomSteps(state: isTaken ? 1 : 2)
    var number = 0
    while true {
      let shop = try Shop()
      if isTaken { _ = try shop.fillPlace() }
      try shop.coordinator.remove(shop.store)
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.copyItem(at: shop.folder, to: folder)
      try Data("\(number)".utf8).write(to: folder.appendingPathComponent("number"))
      await #expect(processExitsWith: .signal(SIGKILL)) {
        try StoreFilesFailureTests.migrateAndDie()
      }
      let place: Comment = "killed at call \(number)"
      #expect(
        try Shop.covers(folder.appendingPathComponent("Library.sqlite")) == Self.whole,
        place
      )
      let copy = folder.appendingPathComponent("Copy.sqlite")
      if isTaken || FileManager.default.fileExists(atPath: copy.path) {
        let covers = try Shop.covers(copy)
        let before: [String: Data?] = ["before": Data(repeating: 1, count: 200_000)]
        #expect(covers == Self.whole || isTaken && covers == before, place)
      }
      let mark = folder.appendingPathComponent("done")
      if FileManager.default.fileExists(atPath: mark.path) { break }
      number += 1 + random.below(60)
    }
    #expect(number > 20)
  }
}
