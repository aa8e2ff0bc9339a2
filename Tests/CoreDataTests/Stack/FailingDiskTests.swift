// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Disks that fail once or for good while stores are added, destroyed, replaced and saved as others.
@Suite("Failing disks")
struct FailingDiskTests {
  /// A library with one tag, its store removed from its coordinator.
  private static func closedLibrary() throws -> (stack: LibraryStack, url: URL) {
    let stack = try LibraryStack()
    _ = stack.make("Tag", ["name": "old"])
    try stack.context.save()
    let store = try stack.store
    let url = try #require(store.url)
    try stack.container.persistentStoreCoordinator.remove(store)
    return (stack, url)
  }

  private static func coordinator() -> NSPersistentStoreCoordinator {
    NSPersistentStoreCoordinator(managedObjectModel: Library.model())
  }

  /// Adds the store while one call of the engine fails: it throws, or the store takes a save.
  private static func addWhileOneFails() throws {
    let (stack, url) = try closedLibrary()
    var refused = 0
    for number in 0... {
      let coordinator = coordinator()
      EngineCalls.stop(after: number, .fails)
      var failure: NSError?
      do {
        try coordinator.addPersistentStore(type: .sqlite, at: url)
      } catch {
        failure = error as NSError
      }
      let met = EngineCalls.end()
      if let failure {
        refused += 1
        #expect(failure.domain == NSCocoaErrorDomain, "call \(number)")
      } else {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { () throws -> Void in
          let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
          tag.setValue("\(number)", forKey: "name")
          #expect(throws: Never.self, "call \(number)") { try context.save() }
        }
        try coordinator.persistentStores.forEach(coordinator.remove)
      }
      if !met { break }
    }
    #expect(refused > 2)
    withExtendedLifetime(stack) {}
  }

  @Test(
    "A store that is added takes saves, or adding it throws, whichever call of the engine fails"
  )
  func adding() async {
    await #expect(processExitsWith: .success) { try FailingDiskTests.addWhileOneFails() }
  }

  /// Destroys the store while all calls after some fail: it throws at once, and not that it is in use.
  private static func destroyWhileAllFail(isOpen: Bool, mode: String) throws {
    for number in 0... {
      let stack = try LibraryStack(
        options: [NSSQLitePragmasOption: ["journal_mode": mode] as NSDictionary]
      )
      _ = stack.make("Tag", ["name": "old"])
      try stack.context.save()
      let store = try stack.store
      let url = try #require(store.url)
      let coordinator = stack.container.persistentStoreCoordinator
      if !isOpen { try coordinator.remove(store) }
      EngineCalls.stop(after: number, .failsForGood)
      let begin = Date()
      var failure: NSError?
      do {
        try coordinator.destroyPersistentStore(
          at: url,
          type: .sqlite,
          options: [NSPersistentStoreTimeoutOption: 20 as NSNumber]
        )
      } catch {
        failure = error as NSError
      }
      let met = EngineCalls.end()
      #expect(Date().timeIntervalSince(begin) < 15, "\(isOpen) \(mode), call \(number)")
      #expect(failure?.code != NSPersistentStoreTimeoutError, "\(isOpen) \(mode), call \(number)")
      if !met {
        #expect(number > 4)
        return
      }
    }
  }

  @Test("A disk that fails for good is told as that, and not waited for as for another's lock")
  func destroying() async {
    await #expect(processExitsWith: .success) {
      for isOpen in [true, false] {
        for mode in ["WAL", "DELETE"] {
          try FailingDiskTests.destroyWhileAllFail(isOpen: isOpen, mode: mode)
        }
      }
    }
  }

  @Test("A disk on which no lock can be set is told as that, and not waited for")
  func locking() async {
    await #expect(processExitsWith: .success) {
      let stack = try LibraryStack(options: [NSPersistentStoreTimeoutOption: 20 as NSNumber])
      _ = stack.make("Tag", ["name": "old"])
      try stack.context.save()
      _ = stack.make("Tag", ["name": "new"])
      // The first three are those of reading; the engine takes a failure of the fourth for another's lock.
      EngineCalls.stop(after: 3, .failsForGood, of: .locks)
      let begin = Date()
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(EngineCalls.end())
      #expect(error?.code == CocoaError.Code.fileWriteUnknown.rawValue)
      #expect(error?.localizedFailureReason?.contains("locks cannot be set") == true)
      #expect(Date().timeIntervalSince(begin) < 15)
      #expect(throws: Never.self) { try stack.context.save() }
    }
  }

  /// What was begun below the folder and did not get its name.
  private static func unfinished(_ folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.contains(".copy-") }
  }

  private static func copyWhileAllFail(migrating: Bool) throws {
    for number in 0... where number < 40 || number % 5 == 0 {
      let stack = try LibraryStack()
      _ = stack.make("Tag", ["name": "old"])
      try stack.context.save()
      let coordinator = stack.container.persistentStoreCoordinator
      let copy = stack.folder.appendingPathComponent("Copy.sqlite")
      if !migrating {
        let other = Self.coordinator()
        try other.remove(other.addPersistentStore(type: .sqlite, at: copy))
      }
      EngineCalls.stop(after: number, .failsForGood)
      let begin = Date()
      do {
        if migrating {
          try coordinator.migratePersistentStore(stack.store, to: copy, type: .sqlite)
        } else {
          try coordinator.replacePersistentStore(
            at: copy,
            withPersistentStoreFrom: #require(stack.store.url),
            type: .sqlite
          )
        }
      } catch {
        #expect((error as NSError).code != NSPersistentStoreTimeoutError, "call \(number)")
      }
      let met = EngineCalls.end()
      #expect(Date().timeIntervalSince(begin) < 15, "call \(number)")
      if !met {
        #expect(number > 8)
        return
      }
      #expect(try unfinished(stack.folder) == [], "call \(number)")
    }
  }

  @Test("A copy that no program has written to for a day goes with the next copy to its place")
  func abandoned() throws {
    let stack = try LibraryStack()
    let name = ".Copy.sqlite.copy-"
    let (old, fresh) = (name + UUID().uuidString, name + UUID().uuidString)
    let others = [fresh, fresh + "-wal", name + "mine", ".Other.sqlite.copy-" + UUID().uuidString]
    for name in [old, old + "-wal"] + others {
      let file = stack.folder.appendingPathComponent(name)
      try Data("x".utf8).write(to: file)
      if others.contains(name), name.hasPrefix(fresh) { continue }
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -2 * 86_400)],
        ofItemAtPath: file.path
      )
    }
    let copy = stack.folder.appendingPathComponent("Copy.sqlite")
    try stack.container.persistentStoreCoordinator.replacePersistentStore(
      at: copy,
      withPersistentStoreFrom: #require(stack.store.url),
      type: .sqlite
    )
    #expect(try Self.unfinished(stack.folder).sorted() == others.sorted())
  }

  @Test(
    "A disk that fails for good leaves no unfinished copy beside a store",
    arguments: [true, false]
  )
  func leavings(migrating: Bool) async {
    if migrating {
      await #expect(processExitsWith: .success) {
        try FailingDiskTests.copyWhileAllFail(migrating: true)
      }
    } else {
      await #expect(processExitsWith: .success) {
        try FailingDiskTests.copyWhileAllFail(migrating: false)
      }
    }
  }
}
