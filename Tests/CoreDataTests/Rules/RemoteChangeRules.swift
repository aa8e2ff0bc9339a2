// SPDX-License-Identifier: Apache-2.0

import CoreData
import Synchronization
import Testing

/// `docs/reference/behaviour.md` NOT-3.
@Suite(.timeLimit(.minutes(5)))
struct RemoteChangeRules {
  private static var option: [String: NSObject] {
    [NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)]
  }

  /// What remote changes of a coordinator say, in order.
  private final class Told: @unchecked Sendable {
    // Unchecked: what changes is behind the lock.
    struct Change: Equatable {
      let uuid: String?
      let url: URL?
      let keys: Set<String>
    }
    private let changes = Mutex<[Change]>([])
    private let stream: AsyncStream<Change>
    private var token: (any NSObjectProtocol)?

    init(_ coordinator: NSPersistentStoreCoordinator) {
      let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
      self.stream = stream
      token = NotificationCenter.default.addObserver(
        forName: .NSPersistentStoreRemoteChange,
        object: coordinator,
        queue: nil
      ) { [unowned self] notification in
        let info = notification.userInfo ?? [:]
        let change = Change(
          uuid: info[NSStoreUUIDKey] as? String,
          url: info[NSPersistentStoreURLKey] as? URL,
          keys: Set(info.keys.compactMap { $0.base as? String })
        )
        changes.withLock { $0.append(change) }
        continuation.yield(change)
      }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    var all: [Change] { changes.withLock { $0 } }

    /// The next one that nobody has waited for.
    func next() async -> Change? {
      for await change in stream { return change }
      return nil
    }
  }

  @Test("NOT-3: each own save and batch that writes posts one, with the store's UUID and URL")
  func ownWrites() throws {
    let stack = try LibraryStack(options: Self.option)
    let store = try stack.store
    let told = Told(stack.container.persistentStoreCoordinator)
    let author = stack.make("Author", ["name": "Ende"])
    try stack.context.save()
    author.setValue("Lem", forKey: "name")
    try stack.context.save()
    // Nothing to write.
    try stack.context.save()
    _ = stack.make("Author")
    stack.context.rollback()
    _ = try stack.insert("Tag", [["name": "a"], ["name": "b"]])
    _ = try stack.update("Tag", ["name": "c"])
    _ = try stack.update("Tag", ["name": "d"], where: NSPredicate(format: "name = 'x'"))
    _ = try stack.delete("Tag")
    store.waitForRemoteChanges()
    let expected = Told.Change(
      uuid: store.identifier,
      url: store.url,
      keys: [NSStoreUUIDKey, NSPersistentStoreURLKey]
    )
    #expect(told.all == Array(repeating: expected, count: 5))
  }

  @Test("NOT-3: nothing is posted for a store whose options do not ask, or by a save that fails")
  func neither() throws {
    let model = Library.model()
    let tag = try #require(model.entitiesByName["Tag"])
    tag.uniquenessConstraints = [["name"]]
    let stack = try LibraryStack(model: model, options: Self.option)
    let coordinator = stack.container.persistentStoreCoordinator
    let silent = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: stack.folder.appendingPathComponent("Silent.sqlite")
    )
    let told = Told(coordinator)
    let quiet = stack.make("Author", ["name": "quiet"])
    stack.context.assign(quiet, to: silent)
    try stack.context.save()
    _ = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    _ = stack.make("Tag", ["name": "a"])
    #expect(throws: (any Error).self) { try stack.context.save() }
    try stack.store.waitForRemoteChanges()
    silent.waitForRemoteChanges()
    let identifier = try stack.store.identifier
    #expect(told.all.map(\.uuid) == [identifier])
  }

  @Test("NOT-3: saves of another coordinator in this process are told to both, each once")
  func twoCoordinators() async throws {
    let first = try LibraryStack(options: Self.option)
    let second = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let store = try second.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: first.store.url,
      options: Self.option
    )
    let told = (Told(first.container.persistentStoreCoordinator), Told(second))
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = second
    _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
    try context.save()
    #expect(await told.0.next()?.uuid == store.identifier)
    #expect(await told.1.next()?.uuid == store.identifier)
    // The answer comes the other way, and only once.
    _ = first.make("Tag")
    try first.context.save()
    #expect(await told.1.next()?.uuid == store.identifier)
    #expect(await told.0.next()?.uuid == store.identifier)
    #expect(told.0.all.count == 2 && told.1.all.count == 2)
  }

  // MARK: Another process

  /// The file of the test that runs in the process `id`; its child finds it by its parent's ID.
  private static func file(of id: Int32, _ journal: String) -> URL {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("remote-changes-\(journal)-\(id).sqlite")
  }

  private static func open(
    _ url: URL,
    _ journal: String,
    _ options: [String: NSObject] = [:]
  ) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
    let description = NSPersistentStoreDescription(url: url)
    description.setValue(journal as NSString, forPragmaNamed: "journal_mode")
    for (key, value) in options { description.setOption(value, forKey: key) }
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }

  private static func saveTag(_ container: NSPersistentContainer) throws {
    let context = container.newBackgroundContext()
    _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
    try context.save()
  }

  @Test("NOT-3: a save of another process is told, with a log and with a rollback journal")
  func otherProcess() async throws {
    for journal in ["WAL", "DELETE"] {
      let url = Self.file(of: getpid(), journal)
      defer {
        for suffix in ["", "-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
      }
      let container = try Self.open(url, journal, Self.option)
      let coordinator = container.persistentStoreCoordinator
      let told = Told(coordinator)
      if journal == "WAL" {
        await #expect(processExitsWith: .success) {
          let url = RemoteChangeRules.file(of: getppid(), "WAL")
          try RemoteChangeRules.saveTag(RemoteChangeRules.open(url, "WAL"))
        }
      } else {
        await #expect(processExitsWith: .success) {
          let url = RemoteChangeRules.file(of: getppid(), "DELETE")
          try RemoteChangeRules.saveTag(RemoteChangeRules.open(url, "DELETE"))
        }
      }
      let change = await told.next()
      #expect(change?.uuid == coordinator.persistentStores[0].identifier)
      #expect(change?.url == url)
    }
  }

  @Test("After its store was removed nothing is told any more")
  func removed() throws {
    let stack = try LibraryStack(options: Self.option)
    let coordinator = stack.container.persistentStoreCoordinator
    let told = Told(coordinator)
    let store = try stack.store
    try coordinator.remove(store)
    let other = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: store.url
    )
    let context = stack.container.newBackgroundContext()
    _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
    try context.save()
    other.waitForRemoteChanges()
    #expect(told.all.isEmpty)
  }
}
