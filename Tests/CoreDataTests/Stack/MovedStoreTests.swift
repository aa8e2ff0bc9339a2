// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `setURL(_:for:)`: PSC-8.
@Suite("A store whose URL is set")
struct MovedStoreTests {
  private let stack: LibraryStack
  private let store: NSPersistentStore
  private let url: URL
  private var coordinator: NSPersistentStoreCoordinator {
    stack.container.persistentStoreCoordinator
  }

  init() throws {
    stack = try LibraryStack(options: [
      NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)
    ])
    store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    url = try #require(store.url)
    _ = stack.make("Book", ["title": "first"])
    try stack.context.save()
  }

  private func file(_ name: String) -> URL { stack.folder.appendingPathComponent(name) }

  /// A copy of the store, with another title of its book.
  private func copy(_ name: String, title: String) throws -> URL {
    let copy = file(name)
    try coordinator.replacePersistentStore(
      at: copy,
      withPersistentStoreFrom: url,
      type: .sqlite
    )
    try SQLFile(url: copy).run("UPDATE ZBOOK SET ZTITLE = '\(title)', Z_OPT = Z_OPT + 1")
    return copy
  }

  private func titles(_ file: URL) throws -> [String] {
    try SQLFile(url: file).texts("SELECT ZTITLE FROM ZBOOK ORDER BY 1")
  }

  @Test("PSC-8 reads and writes the store that is there, and leaves the former file")
  func connects() throws {
    let copy = try copy("Copy.sqlite", title: "second")
    let book = try #require(stack.reread("Book", in: stack.context).first)
    let changed = Posts(coordinator, .NSPersistentStoreCoordinatorStoresDidChange)
    #expect(coordinator.setURL(copy, for: store))
    #expect(store.url == copy && coordinator.url(for: store) == copy)
    #expect(coordinator.persistentStore(for: copy) === store)
    #expect(coordinator.persistentStore(for: url) == nil)
    #expect(coordinator.persistentStores == [store])
    #expect(changed.count == 0, "a copy has the same UUID")
    #expect(book.value(forKey: "title") as? String == "first", "values in memory stay")
    #expect(try stack.reread("Book").map { $0.value(forKey: "title") as? String } == ["second"])
    stack.context.refresh(book, mergeChanges: true)
    book.setValue("third", forKey: "title")
    try stack.context.save()
    #expect(try titles(copy) == ["third"] && titles(url) == ["first"])
    // The last connection to a file removes its log.
    #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
    #expect(coordinator.setURL(copy, for: store), "the URL that it has")
    #expect(coordinator.setURL(url, for: store))
    #expect(try stack.reread("Book").map { $0.value(forKey: "title") as? String } == ["first"])
  }

  @Test("PSC-8 a store with another UUID is reported, and IDs have the new UUID")
  func otherUUID() throws {
    let other = file("Other.sqlite")
    let another = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let made = try another.addPersistentStore(type: .sqlite, at: other)
    let uuid = made.identifier
    try another.remove(made)
    let changed = Posts(coordinator, .NSPersistentStoreCoordinatorStoresDidChange)
    #expect(coordinator.setURL(other, for: store))
    #expect(store.identifier == uuid && changed.count == 1)
    let pair = changed.infos.first?[NSUUIDChangedPersistentStoresKey] as? [NSPersistentStore]
    #expect(pair == [store, store])
    #expect(try stack.reread("Book").isEmpty)
    let book = stack.make("Book", ["title": "new"])
    try stack.context.save()
    #expect(book.objectID.uriRepresentation().host == uuid)
    #expect(try titles(other) == ["new"] && titles(url) == ["first"])
  }

  @Test("PSC-8 saves at the new URL are posted with it")
  func remoteChanges() throws {
    let copy = try copy("Copy.sqlite", title: "second")
    store.waitForRemoteChanges()
    #expect(coordinator.setURL(copy, for: store))
    let posts = Posts(coordinator, .NSPersistentStoreRemoteChange)
    _ = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    store.waitForRemoteChanges()
    #expect(posts.infos.map { $0[NSPersistentStoreURLKey] as? URL } == [copy])
  }

  @Test("PSC-8 a custom store gets the URL")
  func custom() throws {
    let stack = try IncrementalStack()
    let (place, _) = TableStore.newServer()
    #expect(stack.coordinator.setURL(place, for: stack.store))
    #expect(stack.store.url == place)
    #expect(stack.coordinator.persistentStore(for: place) === stack.store)
  }

  @Test("PSC-8 where there is no store, nothing changes and no file is created")
  func refused() throws {
    let none = file("none.sqlite")
    let empty = file("empty.sqlite")
    let text = file("text.sqlite")
    try Data().write(to: empty)
    try Data("text, and no database".utf8).write(to: text)
    let other = try coordinator.addPersistentStore(type: .sqlite, at: file("Other.sqlite"))
    let taken = try #require(other.url)
    let memory = URL(fileURLWithPath: "/dev/null")
    for place in [none, empty, text, taken, memory] {
      #expect(!coordinator.setURL(place, for: store), "\(place.lastPathComponent)")
      #expect(store.url == url)
    }
    #expect(!FileManager.default.fileExists(atPath: none.path))
    #expect(try Data(contentsOf: empty).isEmpty)
    #expect(try stack.reread("Book").count == 1)
    try coordinator.remove(other)
    #expect(!coordinator.setURL(file("Other.sqlite"), for: other), "a store that was removed")
  }

  @Test("PSC-8 a store of another model is refused without the option to migrate it")
  func otherModel() throws {
    let other = file("Web.sqlite")
    let another = NSPersistentStoreCoordinator(managedObjectModel: Web.model())
    try another.remove(try another.addPersistentStore(type: .sqlite, at: other))
    let plain = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let opened = try plain.addPersistentStore(type: .sqlite, at: file("Plain.sqlite"))
    #expect(!plain.setURL(other, for: opened))
    #expect(opened.url == file("Plain.sqlite"))
  }

  @Test("PSC-8 a pinned context reads the former store until it leaves its generation")
  func pinned() throws {
    let copy = try copy("Copy.sqlite", title: "second")
    let context = stack.container.newBackgroundContext()
    try context.setQueryGenerationFrom(.current)
    func titles() throws -> [String?] {
      context.reset()
      let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      return books.map { $0.value(forKey: "title") as? String }
    }
    _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
    #expect(coordinator.setURL(copy, for: store))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == 'first'")
    #expect(try context.count(for: request) == 1)
    #expect(try titles() == ["second"], "a reset moves to the newest generation")
  }

  @Test("PSC-8 a store in memory gets the URL and keeps its objects")
  func inMemory() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let coordinator = stack.container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    _ = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    let place = URL(fileURLWithPath: "/nowhere/else")
    #expect(coordinator.setURL(place, for: store) && store.url == place)
    #expect(try stack.reread("Tag").count == 1)
    #expect(coordinator.persistentStore(for: place) === store)
  }
}
