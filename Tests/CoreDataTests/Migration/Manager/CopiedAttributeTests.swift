// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Attributes whose expression is an attribute of the source.
@Suite("Copied attributes of a mapping model")
struct CopiedAttributeTests {
  private static let uuids = [UUID(), UUID()]
  private static var kinds: [(type: NSAttributeType, name: String, values: [Any?])] {
    [
      (.integer16AttributeType, "short", [-3, 0, nil]),
      (.integer64AttributeType, "long", [1 << 40, nil, 7]),
      (.booleanAttributeType, "flag", [true, false, nil]),
      (.doubleAttributeType, "double", [1.5, nil, -0.25]),
      (.floatAttributeType, "float", [Float(0.1), 2.5, nil]),
      (
        .dateAttributeType, "date",
        [Date(timeIntervalSinceReferenceDate: 1.25), nil, Date.distantPast]
      ),
      (.stringAttributeType, "text", ["", "Größe 🎈", nil]),
      (.binaryDataAttributeType, "data", [Data([0, 255]), Data(), nil]),
      (
        .decimalAttributeType, "decimal",
        [NSDecimalNumber(string: "12.345"), nil, NSDecimalNumber.zero]
      ),
      (.UUIDAttributeType, "uuid", [uuids[0], nil, uuids[1]]),
      (
        .URIAttributeType, "url", [URL(string: "https://example.org/a?b"), nil, URL(string: "x:y")]
      ),
    ]
  }

  /// A model of an entity with the attributes, each with the type that `type` returns.
  private func model(
    _ name: String,
    _ type: (NSAttributeType) -> NSAttributeType = { $0 },
    defaultText: String? = nil
  ) -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties =
      Self.kinds.map { attribute($0.name, type($0.type)) }
      + [attribute("number", .integer64AttributeType)]
    entity.attributesByName["text"]?.defaultValue = defaultText
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  private func objects(
    _ model: NSManagedObjectModel,
    _ url: URL,
    _ body: (NSManagedObjectContext) throws -> Void
  ) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { try body(context) }
    context.performAndWait { context.reset() }
    try coordinator.remove(store)
  }

  /// Migrates objects with all values, and returns the values of the destination's attributes.
  private func migrated(
    _ source: NSManagedObjectModel,
    _ destination: NSManagedObjectModel,
    names: [String]
  ) throws -> [[String: Any?]] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (from, to) = (
      folder.appendingPathComponent("old.sqlite"), folder.appendingPathComponent("new.sqlite")
    )
    try objects(source, from) { context in
      for number in 0..<3 {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Old", into: context)
        object.setValue(number, forKey: "number")
        for kind in Self.kinds { object.setValue(kind.values[number], forKey: kind.name) }
      }
      try context.save()
    }
    let mapping = NSMappingModel()
    let expressions = Dictionary(
      uniqueKeysWithValues: (names + ["number"]).map { ($0, "$source.\($0)") }
    )
    mapping.entityMappings = [NotesMigration.mapping("OldToNew", "Old", "New", expressions)]
    try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
      from: from,
      type: .sqlite,
      mapping: mapping,
      to: to,
      type: .sqlite
    )
    var values: [[String: Any?]] = []
    try objects(destination, to) { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "New")
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      values = try context.fetch(request).map { object in
        Dictionary(uniqueKeysWithValues: names.map { ($0, object.value(forKey: $0)) })
      }
    }
    return values
  }

  @Test("Values of each type are copied, and nil replaces a default value")
  func types() throws {
    let names = Self.kinds.map(\.name)
    let found = try migrated(model("Old"), model("New", defaultText: "default"), names: names)
    try #require(found.count == 3)
    for kind in Self.kinds {
      for (number, value) in kind.values.enumerated() {
        let copy = found[number][kind.name] ?? nil
        #expect(copy as? NSObject == value as? NSObject, "\(kind.name) \(number)")
        #expect((copy == nil) == (value == nil), "\(kind.name) \(number)")
      }
    }
  }

  @Test("A value is converted if the attribute has another type")
  func converted() throws {
    let new = model("New", { $0 == .integer16AttributeType ? .doubleAttributeType : $0 })
    let found = try migrated(model("Old"), new, names: ["short", "text"])
    #expect(found.map { $0["short"] as? Double } == [-3, 0, nil])
    #expect(found.map { $0["text"] as? String } == ["", "Größe 🎈", nil])
  }
}
