// SPDX-License-Identifier: Apache-2.0

import CoreData
import Synchronization
import Testing
import _CoreDataStore

@testable import JSONStores

/// Saves that fail, or whose process ends, in the midst.
///
/// With `COREDATA_ALL_STEPS=1` the saves have 1,000 objects instead of 100, and more steps fail.
@Suite("Interrupted saves", .serialized)
struct StoreFailureTests {
  enum Kind: String, CaseIterable {
    case xml, binary, folder, file

    var type: NSPersistentStore.StoreType {
      switch self {
      case .xml: .xml
      case .binary: .binary
      case .folder: JSONStack.Kind.folder.type
      case .file: JSONStack.Kind.file.type
      }
    }
  }

  private static let testsAll = ProcessInfo.processInfo.environment["COREDATA_ALL_STEPS"] != nil
  private static let count = testsAll ? 1000 : 100

  private static func folder(_ kind: Kind, _ process: Int32) -> URL {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("interrupted-\(kind.rawValue)-\(process)")
  }

  private static func context(_ kind: Kind, _ folder: URL) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    try coordinator.addPersistentStore(
      type: kind.type,
      at: folder.appendingPathComponent("Store")
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Makes a folder with a store of books of the title “old”.
  private static func makeStore(_ kind: Kind) throws -> URL {
    let folder = folder(kind, getpid())
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let context = try context(kind, folder)
    try context.performAndWait {
      for number in 0..<count {
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        book.setValuesForKeys(["title": "old", "pages": number])
      }
      try context.save()
    }
    return folder
  }

  /// Gives all books the title “new”, deletes ten of them and inserts an author; step `number` throws, or ends
  /// the process.
  ///
  /// - Returns: the number of steps.
  private static func change(
    _ context: NSManagedObjectContext,
    step number: Int,
    _ stop: @escaping @Sendable () throws -> Void
  ) throws -> Int {
    let steps = Mutex(0)
    let step: @Sendable () throws -> Void = {
      let isHit = steps.withLock { steps in
        defer { steps += 1 }
        return steps == number
      }
      if isHit { try stop() }
    }
    try context.performAndWait {
      let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      for book in books { book.setValue("new", forKey: "title") }
      for book in books.prefix(10) { context.delete(book) }
      NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
        .setValue("new", forKey: "name")
      try JSONFile.$beforeStep.withValue({ _ in try step() }) {
        try AtomicFile.$beforeStep.withValue({ _ in try step() }) { try context.save() }
      }
    }
    return steps.withLock { $0 }
  }

  /// Returns whether the store has the state after the change; records an issue if it has neither state.
  private static func isNew(_ kind: Kind, _ folder: URL, _ place: String) throws -> Bool {
    let context = try context(kind, folder)
    let (titles, pages, authors) = try context.performAndWait { try content(of: context) }
    let isOld = titles.count == count && Set(titles) == ["old"] && authors == 0
    let isNew = titles.count == count - 10 && Set(titles) == ["new"] && authors == 1
    let isWhole = (isOld || isNew) && Set(pages).count == titles.count
    #expect(isWhole, "\(place): \(titles.count) \(Set(titles)) \(authors)")
    return isNew
  }

  private static func content(
    of context: NSManagedObjectContext
  ) throws -> (titles: [String], pages: [Int], authors: Int) {
    let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
    let authors = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author"))
    let titles = books.compactMap { $0.value(forKey: "title") as? String }
    return (titles, books.compactMap { $0.value(forKey: "pages") as? Int }, authors)
  }

  /// Steps that fail; the last of them is after the save.
  private static func steps(_ kind: Kind) -> [Int] {
    if kind != .folder { return testsAll ? Array(0..<12) : [0, 3, 12] }
    return testsAll ? Array(0..<12) + Array(stride(from: 12, to: 3100, by: 61)) : [2, 5, 150]
  }

  @Test("of which a step fails leave the old or the new store", arguments: Kind.allCases)
  func failing(_ kind: Kind) throws {
    let folder = try Self.makeStore(kind)
    defer { try? FileManager.default.removeItem(at: folder) }
    let saved = folder.appendingPathExtension("saved")
    defer { try? FileManager.default.removeItem(at: saved) }
    try? FileManager.default.removeItem(at: saved)
    try FileManager.default.copyItem(at: folder, to: saved)
    var outcomes: Set<Bool> = []
    for number in Self.steps(kind) {
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.copyItem(at: saved, to: folder)
      let context = try Self.context(kind, folder)
      var hasFailed = false
      do {
        _ = try Self.change(context, step: number) {
          throw CocoaError(.fileWriteOutOfSpace)
        }
      } catch {
        hasFailed = true
      }
      let isNew = try Self.isNew(kind, folder, "\(kind), step \(number)")
      #expect(isNew == !hasFailed, "\(kind), step \(number)")
      outcomes.insert(isNew)
      // The next save works.
      if hasFailed {
        try context.performAndWait { try context.save() }
        #expect(try Self.isNew(kind, folder, "\(kind), after step \(number)"))
      }
    }
    #expect(outcomes == [false, true])
  }

  // MARK: Ended processes

  /// Changes the store of the parent process, and is killed at a step.
  private static func changeAndDie(_ kind: Kind) throws {
    let folder = folder(kind, getppid())
    let text = try String(contentsOf: folder.appendingPathComponent("step"), encoding: .utf8)
    _ = try change(try context(kind, folder), step: Int(text) ?? 0) { kill(getpid(), SIGKILL) }
    kill(getpid(), SIGKILL)
  }

  @Test(
    "whose process is killed at a step leave the old or the new store",
    arguments: Kind.allCases
  )
  func killed(_ kind: Kind) async throws {
    let few = kind == .folder ? [2, 150] : [2, 12]
    let more = kind == .folder ? [0, 1, 3, 1500, 2900, 4000] : [0, 1, 3, 4]
    var outcomes: Set<Bool> = []
    for number in few + (Self.testsAll ? more : []) {
      let folder = try Self.makeStore(kind)
      defer { try? FileManager.default.removeItem(at: folder) }
      try Data("\(number)".utf8).write(to: folder.appendingPathComponent("step"))
      switch kind {
      case .xml: await #expect(processExitsWith: .signal(SIGKILL)) { try Self.changeAndDie(.xml) }
      case .binary:
        await #expect(processExitsWith: .signal(SIGKILL)) { try Self.changeAndDie(.binary) }
      case .folder:
        await #expect(processExitsWith: .signal(SIGKILL)) { try Self.changeAndDie(.folder) }
      case .file:
        await #expect(processExitsWith: .signal(SIGKILL)) { try Self.changeAndDie(.file) }
      }
      outcomes.insert(try Self.isNew(kind, folder, "\(kind), step \(number)"))
    }
    #expect(outcomes == [false, true])
  }
}
