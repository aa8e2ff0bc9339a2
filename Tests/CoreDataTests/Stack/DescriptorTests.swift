// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Programs that have no file descriptor left.
@Suite struct DescriptorTests {
  /// Runs `body` while every file descriptor that the process may have is in use.
  fileprivate static func withoutDescriptors<T>(_ body: () throws -> T) throws -> T {
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    var used: [Int32] = []
    defer { used.forEach { close($0) } }
    while case let next = open("/dev/null", O_RDONLY), next >= 0 { used.append(next) }
    return try body()
  }

  /// A coordinator of the stack's store that has not read yet, and so has one connection.
  fileprivate static func freshContext(_ stack: LibraryStack) throws -> NSManagedObjectContext {
    let model = stack.container.managedObjectModel
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(type: .sqlite, at: try #require(try stack.store.url))
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test(arguments: ["WAL", "DELETE"])
  func `A fault fires and a fetch works without a descriptor left`(_ mode: String) async {
    await #expect(processExitsWith: .success) { [mode] in
      let stack = try LibraryStack(
        options: [NSSQLitePragmasOption: ["journal_mode": mode] as NSDictionary]
      )
      let books = (0..<3).map { stack.make("Book", ["pages": $0]) }
      try stack.context.save()
      let context = try DescriptorTests.freshContext(stack)
      let coordinator = try #require(context.persistentStoreCoordinator)
      let ids = books.compactMap {
        coordinator.managedObjectID(forURIRepresentation: $0.objectID.uriRepresentation())
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      let (pages, count) = try DescriptorTests.withoutDescriptors {
        context.performAndWait {
          let pages = ids.map { context.object(with: $0).value(forKey: "pages") as? Int }
          return (pages, Result { try context.count(for: request) })
        }
      }
      #expect(pages == [0, 1, 2])
      #expect(try count.get() == 3)
      withExtendedLifetime(stack) {}
    }
  }

  @Test func `A fetch of a large value without a descriptor left throws, and works afterwards`()
    async
  {
    await #expect(processExitsWith: .success) {
      let photos = try StoredPhotos(["blue"])
      let context = try DescriptorTests.freshContext(photos.stack)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Cover")
      let fetch = { context.performAndWait { Result { try context.fetch(request) } } }
      let failure = try DescriptorTests.withoutDescriptors { fetch() }
      let error = #expect(throws: NSError.self) { try failure.get() }
      #expect(error?.code == CocoaError.Code.fileReadUnknown.rawValue)
      #expect(error?.localizedFailureReason?.contains("no file descriptor left") == true)
      #expect(try fetch().get().first?.value(forKey: "photo") as? Data == Data("blue".utf8))
      withExtendedLifetime(photos) {}
    }
  }

  @Test func `Adding a store without a descriptor left throws an error that says so`() async {
    await #expect(processExitsWith: .success) {
      let stack = try LibraryStack()
      let failure = try DescriptorTests.withoutDescriptors {
        Result { try DescriptorTests.freshContext(stack) }
      }
      let error = #expect(throws: NSError.self) { try failure.get() }
      #expect(error?.domain == NSCocoaErrorDomain)
      #expect(error?.localizedFailureReason?.contains("no file descriptor left") == true)
    }
  }

  @Test func `A fault of a large value that cannot be opened stops the program with the reason`()
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let photos = try StoredPhotos(["blue"])
      let id = try #require(try photos.stack.reread("Cover").first).objectID.uriRepresentation()
      let context = try DescriptorTests.freshContext(photos.stack)
      let coordinator = try #require(context.persistentStoreCoordinator)
      let cover = context.object(
        with: try #require(coordinator.managedObjectID(forURIRepresentation: id))
      )
      try DescriptorTests.withoutDescriptors { _ = cover.value(forKey: "photo") }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("could not fulfill a fault"), "\(text)")
    #expect(text.contains("no file descriptor left"), "\(text)")
  }
}
