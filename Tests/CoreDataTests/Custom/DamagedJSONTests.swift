// SPDX-License-Identifier: Apache-2.0

import CoreData
import StoreConformance
import Testing

/// Files of the example's stores that something has damaged.
///
/// `COREDATA_DAMAGE_ROUNDS` sets the number of variants.
@Suite("Damaged JSON stores")
struct DamagedJSONTests {
  private static func open(_ kind: JSONStack.Kind, _ url: URL) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    try coordinator.addPersistentStore(type: kind.type, at: url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private static func fill(_ context: NSManagedObjectContext) throws {
    try context.performAndWait {
      func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        return object
      }
      let author = make("Author", ["name": "Mann"])
      let tag = make("Tag", ["name": "german"])
      for title in ["Essays", "Zauberberg"] {
        let book = make(
          "Book",
          [
            "title": title, "pages": 320, "author": author, "price": 12.5, "isLent": true,
            "published": Date(timeIntervalSinceReferenceDate: 0), "isbn": UUID(),
          ]
        )
        book.mutableSetValue(forKey: "tags").add(tag)
        book.mutableOrderedSetValue(forKey: "chapters").add(make("Chapter", ["name": "one"]))
      }
      try context.save()
    }
  }

  /// Reads all values, and changes and saves all objects.
  private static func use(_ context: NSManagedObjectContext) throws {
    try context.performAndWait {
      for name in ["Author", "Book", "Tag", "Chapter", "Cover"] {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.predicate = NSPredicate(value: true)
        for object in try context.fetch(request) {
          for key in object.entity.propertiesByName.keys { _ = object.value(forKey: key) }
          if name == "Book" { object.setValue("Changed", forKey: "title") }
        }
      }
      try context.save()
    }
  }

  @Test("are errors, or stores that work", arguments: JSONStack.Kind.allCases)
  func variants(_ kind: JSONStack.Kind) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("damaged-json-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let whole = folder.appendingPathComponent("Whole")
    try Self.fill(try Self.open(kind, whole))
    let paths =
      kind == .file
      ? [""]
      : try FileManager.default.subpathsOfDirectory(atPath: whole.path)
        .filter { $0.hasSuffix(".json") }.sorted()
    var refused = 0
    let rounds = Damage.rounds(60)
    for seed in 0..<rounds {
      let copy = folder.appendingPathComponent("Copy")
      try? FileManager.default.removeItem(at: copy)
      try FileManager.default.copyItem(at: whole, to: copy)
      let path = paths[Int(seed) % paths.count]
      let file = path.isEmpty ? copy : copy.appendingPathComponent(path)
      try Damage.copy(of: try Data(contentsOf: file), seed).write(to: file)
      do {
        try Self.use(try Self.open(kind, copy))
        try Self.use(try Self.open(kind, copy))
      } catch let error as NSError {
        refused += 1
        #expect(error.domain == NSCocoaErrorDomain, "variant \(seed): \(error)")
      }
    }
    #expect(refused > Int(rounds) / 3)
  }
}
