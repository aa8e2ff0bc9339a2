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
}
