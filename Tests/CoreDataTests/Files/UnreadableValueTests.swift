// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Large values whose files are missing, or there and cannot be read.
@Suite("Unreadable large values")
struct UnreadableValueTests {
  /// Where the value of a colour lies.
  private func file(_ colour: String, _ photos: StoredPhotos) throws -> URL {
    photos.stack.folder.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
      .appendingPathComponent(try #require(photos.names[colour]))
  }

  /// Puts a folder in the file's place: it opens, but has no bytes to read.
  private func makeUnreadable(_ colour: String, _ photos: StoredPhotos) throws -> URL {
    let file = try file(colour, photos)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    return file
  }

  @Test("A value whose file is missing is nil; one that cannot be read makes the fetch throw")
  func fetched() throws {
    let photos = try StoredPhotos(["blue", "red"])
    try FileManager.default.removeItem(at: file("red", photos))
    #expect(try photos.contents() == [Data("blue".utf8), nil])
    let file = try makeUnreadable("blue", photos)
    let context = photos.stack.container.newBackgroundContext()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Cover")
    let error = #expect(throws: NSError.self) { try context.fetch(request) }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.code == CocoaError.Code.fileReadUnknown.rawValue)
    #expect(error?.userInfo[NSFilePathErrorKey] as? String == file.path)
    // Other rows are read as before.
    request.predicate = NSPredicate(format: "colour == 'red'")
    #expect(try context.fetch(request).count == 1)
  }

  @Test("A dictionary fetch and existingObject(with:) throw where a value cannot be read")
  func othersThatThrow() throws {
    let photos = try StoredPhotos(["blue"])
    let cover = try #require(try photos.stack.reread("Cover").first)
    _ = try makeUnreadable("blue", photos)
    let context = photos.stack.container.newBackgroundContext()
    let request = NSFetchRequest<NSDictionary>(entityName: "Cover")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["photo"]
    #expect(throws: NSError.self) { try context.fetch(request) }
    let error = #expect(throws: NSError.self) { try context.existingObject(with: cover.objectID) }
    #expect(error?.code == CocoaError.Code.fileReadUnknown.rawValue)
  }

  @Test("A fault whose value cannot be read stops the program with the file's name")
  func fault() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let photos = try StoredPhotos(["blue"])
      let id = try #require(try photos.stack.reread("Cover").first).objectID
      _ = try UnreadableValueTests().makeUnreadable("blue", photos)
      let context = photos.stack.container.newBackgroundContext()
      _ = context.object(with: id).value(forKey: "photo")
      withExtendedLifetime(context) {}
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("large value") && text.contains("_EXTERNAL_DATA"))
  }

  @Test("A store whose large values cannot be listed is not saved as another")
  func unlistedCopy() throws {
    let photos = try StoredPhotos(["blue"])
    let coordinator = photos.stack.container.persistentStoreCoordinator
    let store = try photos.stack.store
    let values = photos.stack.folder.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
    let aside = photos.stack.folder.appendingPathComponent("aside")
    try FileManager.default.moveItem(at: values, to: aside)
    try Data().write(to: values)
    let copy = photos.stack.folder.appendingPathComponent("Copy.sqlite")
    let error = #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(store, to: copy, type: .sqlite)
    }
    #expect(error?.userInfo[NSFilePathErrorKey] as? String == values.path)
    #expect(throws: NSError.self) {
      try coordinator.replacePersistentStore(
        at: copy,
        withPersistentStoreFrom: #require(store.url),
        type: .sqlite
      )
    }
    #expect(!FileManager.default.fileExists(atPath: copy.path))
    try FileManager.default.removeItem(at: values)
    try FileManager.default.moveItem(at: aside, to: values)
    #expect(coordinator.persistentStores == [store])
    #expect(try photos.contents() == [Data("blue".utf8)])
  }
}
