// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@testable import JSONStore

/// Notes with tags, in a folder of JSON files or in one file.
@Suite struct JSONStoreTests {
  enum Kind: CaseIterable {
    case folder, file

    var type: NSPersistentStore.StoreType {
      switch self {
      case .folder:
        JSONFolderStore.register()
        return .init(rawValue: JSONFolderStore.storeType)
      case .file:
        JSONFileStore.register()
        return .init(rawValue: JSONFileStore.storeType)
      }
    }
  }

  /// A folder that is removed with the last reference.
  final class Place {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("json-store-\(UUID().uuidString)")
    var url: URL { folder.appendingPathComponent("Notes") }

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The files of the notes in a folder store.
    var notes: [URL] {
      get throws {
        try FileManager.default.contentsOfDirectory(
          at: url.appendingPathComponent("Note"),
          includingPropertiesForKeys: nil
        )
      }
    }
  }

  private static func model() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    let note = NSEntityDescription()
    note.name = "Note"
    let tag = NSEntityDescription()
    tag.name = "Tag"
    let tags = NSRelationshipDescription()
    let notes = NSRelationshipDescription()
    for (relationship, name, destination) in [(tags, "tags", tag), (notes, "notes", note)] {
      relationship.name = name
      relationship.destinationEntity = destination
      relationship.maxCount = 0
      relationship.deleteRule = .nullifyDeleteRule
    }
    tags.inverseRelationship = notes
    notes.inverseRelationship = tags
    note.properties = [
      attribute("title", .stringAttributeType), attribute("created", .dateAttributeType),
      attribute("stars", .integer16AttributeType), tags,
    ]
    tag.properties = [attribute("name", .stringAttributeType), notes]
    let model = NSManagedObjectModel()
    model.entities = [note, tag]
    return model
  }

  private static func context(_ kind: Kind, _ place: Place) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
    try coordinator.addPersistentStore(type: kind.type, at: place.url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private static func fill(_ context: NSManagedObjectContext) throws {
    try context.performAndWait {
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag.setValue("home", forKey: "name")
      for (title, stars) in [("Milk", 1), ("Roof", 3), ("Song", 2)] {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValuesForKeys(["title": title, "stars": stars])
        note.setValue(Date(timeIntervalSinceReferenceDate: 0.1), forKey: "created")
        if title != "Song" { note.mutableSetValue(forKey: "tags").add(tag) }
      }
      try context.save()
    }
  }

  private static func titles(
    _ context: NSManagedObjectContext,
    _ format: String = "TRUEPREDICATE"
  ) throws -> [String] {
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = NSPredicate(format: format)
      request.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: false)]
      return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
    }
  }

  @Test("Notes are saved, and found by another program", arguments: Kind.allCases)
  func saving(_ kind: Kind) throws {
    let place = try Place()
    try Self.fill(try Self.context(kind, place))
    let again = try Self.context(kind, place)
    #expect(try Self.titles(again) == ["Roof", "Song", "Milk"])
    #expect(try Self.titles(again, "ANY tags.name == 'home'") == ["Roof", "Milk"])
    #expect(try Self.titles(again, "stars > 1 AND tags.@count == 0") == ["Song"])
    try again.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = NSPredicate(format: "title == 'Roof'")
      again.delete(try #require(try again.fetch(request).first))
      try again.save()
    }
    #expect(try Self.titles(try Self.context(kind, place)) == ["Song", "Milk"])
  }

  @Test("A note is one readable file, and an edit of the file is read")
  func editing() throws {
    let place = try Place()
    try Self.fill(try Self.context(.folder, place))
    let files = try place.notes
    #expect(files.count == 3)
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      try text.replacingOccurrences(of: "\"title\" : \"Roof\"", with: "\"title\" : \"Attic\"")
        .write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try Self.titles(try Self.context(.folder, place)) == ["Attic", "Song", "Milk"])
  }

  @Test("Two contexts that change one note are in conflict", arguments: Kind.allCases)
  func conflicts(_ kind: Kind) throws {
    let place = try Place()
    let context = try Self.context(kind, place)
    try Self.fill(context)
    let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    other.persistentStoreCoordinator = context.persistentStoreCoordinator
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = NSPredicate(format: "title == 'Roof'")
      let note = try #require(try context.fetch(request).first)
      // A conflict requires that the values were read before the other save.
      #expect(note.value(forKey: "title") as? String == "Roof")
      let id = note.objectID
      try other.performAndWait {
        try other.existingObject(with: id).setValue("Attic", forKey: "title")
        try other.save()
      }
      note.setValue("Cellar", forKey: "title")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
    }
    #expect(try Self.titles(try Self.context(kind, place)) == ["Cellar", "Song", "Milk"])
  }

  @Test("A damaged file is an error with its path")
  func damage() throws {
    let place = try Place()
    try Self.fill(try Self.context(.folder, place))
    let file = try #require(try place.notes.first)
    try Data("{".utf8).write(to: file)
    let context = try Self.context(.folder, place)
    let error = #expect(throws: NSError.self) { try Self.titles(context) }
    #expect(error?.localizedFailureReason?.contains(file.lastPathComponent) == true)
  }

  @Test("A save that has begun to change files is completed when the folder is opened")
  func recovery() throws {
    let place = try Place()
    let context = try Self.context(.folder, place)
    try Self.fill(context)
    try context.performAndWait {
      for note in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")) {
        note.setValue("x", forKey: "title")
      }
      try JSONFile.$beforeStep.withValue({ step in
        if step.hasPrefix("create"), !step.contains("Changes") {
          throw CocoaError(.fileWriteUnknown)
        }
      }) { try context.save() }
    }
    #expect(
      FileManager.default.fileExists(atPath: place.url.appendingPathComponent("Changes.json").path)
    )
    #expect(try Self.titles(try Self.context(.folder, place)) == ["x", "x", "x"])
    #expect(
      !FileManager.default.fileExists(atPath: place.url.appendingPathComponent("Changes.json").path)
    )
  }
}
