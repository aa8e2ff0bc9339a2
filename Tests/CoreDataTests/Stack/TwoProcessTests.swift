// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Synchronization
import Testing

/// One store file, two processes that save to it at the same time.
@Suite struct TwoProcessTests {
  private static let saves = 60

  /// The file of the test that runs in the process `id`; its child finds it by its parent's ID.
  private static func file(of id: Int32) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("two-processes-\(id).sqlite")
  }

  private static func open(_ url: URL) throws -> NSManagedObjectContext {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container.newBackgroundContext()
  }

  private static func save(_ context: NSManagedObjectContext, _ title: String) throws {
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    book.setValue(title, forKey: "title")
    let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
    tag.setValue(NSSet(object: book), forKey: "books")
    try context.save()
  }

  private static func runChild(_ done: Flag) async {
    await #expect(processExitsWith: .success) {
      let context = try TwoProcessTests.open(TwoProcessTests.file(of: getppid()))
      for number in 0..<TwoProcessTests.saves {
        try TwoProcessTests.save(context, "child \(number)")
      }
    }
    done.set()
  }

  /// Saves for as long as the other process lives, so that they meet; returns the number of saves.
  ///
  /// Has a thread of its own, because the thread of a test would be needed to start the other process.
  private static func saveUntil(
    _ done: Flag,
    _ context: NSManagedObjectContext
  ) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        var own = 0
        continuation.resume(
          with: Result {
            repeat {
              try save(context, "parent \(own)")
              own += 1
            } while !done.isSet
            return own
          }
        )
      }
    }
  }

  @Test func savesOfTwoProcessesAreAllThere() async throws {
    let url = Self.file(of: getpid())
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: url.path + suffix)
      }
    }
    let context = try Self.open(url)
    let done = Flag()
    async let child: Void = Self.runChild(done)
    let own = try await Self.saveUntil(done, context)
    await child

    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    let reader = try Self.open(url)
    let books = try reader.fetch(request)
    let titles = Set(books.compactMap { $0.value(forKey: "title") as? String })
    let expected = Set(
      (0..<own).map { "parent \($0)" } + (0..<Self.saves).map { "child \($0)" }
    )
    #expect(titles == expected && books.count == expected.count)
    #expect(books.allSatisfy { ($0.value(forKey: "tags") as? NSSet)?.count == 1 })
    #expect(Set(books.map(\.objectID)).count == books.count)
  }
}

private final class Flag: Sendable {
  private let state = Atomic(false)
  var isSet: Bool { state.load(ordering: .acquiring) }
  func set() { state.store(true, ordering: .releasing) }
}
