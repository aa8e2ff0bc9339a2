// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Large values in files of their own.
@Suite("External storage")
struct ExternalDataTests {
  private final class Files {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let container: NSPersistentContainer
    var support: URL { folder.appendingPathComponent(".Photos_SUPPORT/_EXTERNAL_DATA") }

    init() throws {
      let model = NSManagedObjectModel()
      let photo = NSEntityDescription()
      photo.name = "Photo"
      let pixels = NSAttributeDescription()
      pixels.name = "pixels"
      pixels.attributeType = .binaryDataAttributeType
      pixels.allowsExternalBinaryDataStorage = true
      let number = NSAttributeDescription()
      number.name = "number"
      number.attributeType = .integer64AttributeType
      photo.properties = [pixels, number]
      photo.uniquenessConstraints = [["number"]]
      model.entities = [photo]
      container = NSPersistentContainer(name: "Photos", managedObjectModel: model)
      let file = folder.appendingPathComponent("Photos.sqlite")
      container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
      var failure: (any Error)?
      container.loadPersistentStores { _, error in failure = error }
      if let failure { throw failure }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The files beside the store; none where there is no folder.
    var names: [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: support.path))?.sorted() ?? []
    }
  }

  private func pixels(_ byte: UInt8, _ count: Int = 300_000) -> Data {
    Data(repeating: byte, count: count)
  }

  @Test("A large value lies in a file named by a UUID, a small one in its row; both read back")
  func written() throws {
    let files = try Files()
    let context = files.container.newBackgroundContext()
    try context.performAndWait { () throws -> Void in
      for (number, count) in [(1, 300_000), (2, 10)] {
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
        photo.setValue(pixels(UInt8(number), count), forKey: "pixels")
        photo.setValue(number, forKey: "number")
      }
      try context.save()
    }
    #expect(files.names.count == 1)
    #expect(files.names.allSatisfy { UUID(uuidString: $0) != nil })
    let reader = files.container.newBackgroundContext()
    let found = try reader.performAndWait { () throws -> [Data?] in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      return try reader.fetch(request).map { $0.value(forKey: "pixels") as? Data }
    }
    #expect(found == [pixels(1), pixels(2, 10)])
  }

  @Test("A replaced or deleted value's file goes; an unchanged one stays")
  func cleanedUp() throws {
    let files = try Files()
    let context = files.container.newBackgroundContext()
    try context.performAndWait { () throws -> Void in
      let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
      photo.setValue(pixels(1), forKey: "pixels")
      try context.save()
      let first = files.names
      photo.setValue(7, forKey: "number")
      try context.save()
      #expect(files.names == first)
      photo.setValue(pixels(2), forKey: "pixels")
      try context.save()
      #expect(files.names.count == 1)
      #expect(files.names != first)
      context.delete(photo)
      try context.save()
      #expect(files.names == [])
    }
  }

  @Test(
    "A batch insert or a save that overwrites a stored row takes its file away, and no other",
    arguments: [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite],
    [true, false]
  )
  func overwritten(policy: NSMergePolicy, isBatch: Bool) throws {
    let files = try Files()
    let context = files.container.newBackgroundContext()
    context.mergePolicy = policy
    try context.performAndWait { () throws -> Void in
      for number in 1...3 {
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
        photo.setValue(pixels(UInt8(number)), forKey: "pixels")
        photo.setValue(number, forKey: "number")
      }
      try context.save()
      context.reset()
      let before = files.names
      #expect(before.count == 3)
      if isBatch {
        let insert = NSBatchInsertRequest(
          entityName: "Photo",
          objects: [
            ["number": 2, "pixels": pixels(12)], ["number": 4, "pixels": pixels(14)],
            ["number": 3, "pixels": pixels(13, 5)],
          ]
        )
        _ = try context.execute(insert)
      } else {
        for (number, content) in [(2, pixels(12)), (4, pixels(14)), (3, pixels(13, 5))] {
          let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
          photo.setValue(content, forKey: "pixels")
          photo.setValue(number, forKey: "number")
        }
        try context.save()
      }
      context.reset()
      #expect(files.names.count == 3)
      #expect(Set(files.names).intersection(before).count == 1)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      #expect(
        try context.fetch(request).map { $0.value(forKey: "pixels") as? Data }
          == [pixels(1), pixels(12), pixels(13, 5), pixels(14)]
      )
    }
  }

  @Test("Files are neither read nor written through links that lead out of the folder")
  func links() throws {
    let files = try Files()
    let context = files.container.newBackgroundContext()
    let manager = FileManager.default
    let outside = files.folder.appendingPathComponent("outside")
    try manager.createDirectory(at: outside, withIntermediateDirectories: true)
    try context.performAndWait { () throws -> Void in
      let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
      photo.setValue(pixels(1), forKey: "pixels")
      try context.save()
      let file = files.support.appendingPathComponent(try #require(files.names.first))
      let secret = outside.appendingPathComponent("secret")
      try Data("secret".utf8).write(to: secret)
      try manager.removeItem(at: file)
      try manager.createSymbolicLink(at: file, withDestinationURL: secret)
      context.refreshAllObjects()
      #expect(photo.value(forKey: "pixels") == nil)
      // The link goes with the value, what it leads to stays.
      photo.setValue(pixels(2, 10), forKey: "pixels")
      try context.save()
      #expect(files.names == [])
      #expect(manager.fileExists(atPath: secret.path))

      try manager.removeItem(at: files.support)
      try manager.createSymbolicLink(at: files.support, withDestinationURL: outside)
      photo.setValue(pixels(3), forKey: "pixels")
      #expect(throws: NSError.self) { try context.save() }
      #expect(try manager.contentsOfDirectory(atPath: outside.path) == ["secret"])
    }
  }

  @Test(
    "A name that is no UUID names no file, wherever it would lead",
    arguments: ["../../outside", "/etc/hostname", "..", ""]
  )
  func escapingNames(name: String) throws {
    let files = try Files()
    let context = files.container.newBackgroundContext()
    try context.performAndWait { () throws -> Void in
      let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
      photo.setValue(pixels(1), forKey: "pixels")
      try context.save()
      let outside = files.folder.appendingPathComponent("outside")
      try Data("secret".utf8).write(to: outside)
      let bytes = Data([2] + Array(name.utf8) + [0]).map { String(format: "%02x", $0) }.joined()
      try SQLFile(url: files.folder.appendingPathComponent("Photos.sqlite"))
        .run("UPDATE ZPHOTO SET ZPIXELS = x'\(bytes)'")
      context.refreshAllObjects()
      #expect(photo.value(forKey: "pixels") == nil)
      photo.setValue(nil, forKey: "pixels")
      try context.save()
      #expect(FileManager.default.fileExists(atPath: outside.path))
    }
  }

  @Test("A save that fails leaves no file behind, and the old one in its place")
  func failed() throws {
    let files = try Files()
    let context = files.container.newBackgroundContext()
    try context.performAndWait { () throws -> Void in
      let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
      photo.setValue(pixels(1), forKey: "pixels")
      photo.setValue(1, forKey: "number")
      try context.save()
      let kept = files.names
      photo.setValue(pixels(2), forKey: "pixels")
      let twin = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
      twin.setValue(pixels(3), forKey: "pixels")
      twin.setValue(1, forKey: "number")
      #expect(throws: (any Error).self) { try context.save() }
      #expect(files.names == kept)
    }
  }

  /// What a save waits for, and its commit, in their order; files are told as such.
  private func waits(
    _ files: Files,
    saving context: NSManagedObjectContext,
    failingAt failing: String? = nil
  ) throws -> [String] {
    let store = try #require(files.container.persistentStoreCoordinator.persistentStores.first)
    let log = Waits(failing)
    store.statements.setOnSync(log.syncs)
    store.statements.setOnStart(log.starts)
    defer {
      store.statements.setOnSync(nil)
      store.statements.setOnStart(nil)
    }
    do {
      try context.save()
    } catch {
      log.all.append("failed")
    }
    return log.all
  }

  @Test("New files and their names have reached the disk before the commit, it before old ones go")
  func lasting() throws {
    let files = try Files()
    let context = files.container.newBackgroundContext()
    try context.performAndWait { () throws -> Void in
      let photos = (1...2).map { (number: Int) in
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
        photo.setValue(pixels(UInt8(number)), forKey: "pixels")
        photo.setValue(number, forKey: "number")
        return photo
      }
      let folder = files.folder.lastPathComponent
      #expect(
        try waits(files, saving: context)
          == ["a file", "a file", "_EXTERNAL_DATA", folder, ".Photos_SUPPORT", "COMMIT"]
      )
      photos[0].setValue(pixels(3), forKey: "pixels")
      #expect(
        try waits(files, saving: context)
          == ["a file", "_EXTERNAL_DATA", "COMMIT", "Photos.sqlite-wal"]
      )
      context.delete(photos[0])
      #expect(try waits(files, saving: context) == ["COMMIT", "Photos.sqlite-wal"])
      photos[1].setValue(9, forKey: "number")
      #expect(try waits(files, saving: context) == ["COMMIT"])
      #expect(files.names.count == 1)
    }
  }

  @Test("A file that does not reach the disk fails the save; a log that does not keeps old files")
  func notLasting() throws {
    let files = try Files()
    let context = files.container.newBackgroundContext()
    try context.performAndWait { () throws -> Void in
      let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
      photo.setValue(pixels(1), forKey: "pixels")
      try context.save()
      let kept = files.names
      photo.setValue(pixels(2), forKey: "pixels")
      #expect(try waits(files, saving: context, failingAt: "a file") == ["a file", "failed"])
      #expect(files.names == kept && photo.isUpdated)
      #expect(
        try waits(files, saving: context, failingAt: "_EXTERNAL_DATA")
          == ["a file", "_EXTERNAL_DATA", "failed"]
      )
      #expect(files.names == kept && photo.isUpdated)
      #expect(
        try waits(files, saving: context, failingAt: "Photos.sqlite-wal")
          == ["a file", "_EXTERNAL_DATA", "COMMIT", "Photos.sqlite-wal"]
      )
      #expect(Set(files.names).isSuperset(of: kept) && files.names.count == 2)
      #expect(!context.hasChanges)
    }
  }
}

private final class Waits: @unchecked Sendable {
  // Unchecked: the store calls on the thread that saves.
  var all: [String] = []
  private let failing: String?
  init(_ failing: String?) { self.failing = failing }

  func syncs(_ path: String) throws {
    let name = URL(fileURLWithPath: path).lastPathComponent
    let told = isFolder(path) || UUID(uuidString: name) == nil ? name : "a file"
    all.append(told)
    if told == failing { throw CocoaError(.fileWriteUnknown) }
  }

  private func isFolder(_ path: String) -> Bool {
    var isFolder = ObjCBool(false)
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  func starts(_ text: String) {
    if text == "COMMIT" { all.append(text) }
  }
}
