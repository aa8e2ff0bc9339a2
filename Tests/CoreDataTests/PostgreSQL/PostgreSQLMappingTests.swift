// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing

@Suite(
  "Mapping models of PostgreSQL stores",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
struct PostgreSQLMappingTests {
  private static func model(_ body: String) throws -> NSManagedObjectModel {
    .tools(try InferredMigrationTests.draft(body))
  }
  private static let text = #"optional="YES" attributeType="String""#
  private static let note = """
    <entity name="Note"><attribute name="title" \(text)/>\
    <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Tag" inverseName="notes" inverseEntity="Tag"/></entity>
    """
  private static let tag = """
    <entity name="Tag"><attribute name="name" \(text)/>\
    <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Note" inverseName="tags" inverseEntity="Note"/></entity>
    """
  /// An attribute becomes two, which no inferred mapping can do.
  private static let entry = note.replacing(
    #"<attribute name="title" \#(text)/>"#,
    with: #"<attribute name="first" \#(text)/><attribute name="last" \#(text)/>"#
  )

  private func open(
    _ stack: PostgreSQLStack,
    _ body: String,
    _ options: [AnyHashable: Any] = [:]
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.model(body))
    var all: [AnyHashable: Any] = [
      PostgreSQLSchemaOption: stack.schema, NSPersistentHistoryTrackingKey: true,
      NSMigratePersistentStoresAutomaticallyOption: true,
    ]
    for (key, value) in options { all[key] = value }
    try coordinator.addPersistentStore(
      type: .postgreSQL,
      at: #require(URL(string: stack.address)),
      options: all
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func mapping(_ policy: NSEntityMigrationPolicy.Type) -> NSMappingModel {
    let note = NotesMigration.mapping(
      "NoteToNote",
      "Note",
      "Note",
      [:],
      ["tags": NotesMigration.instances("TagToTag", "$source.tags")]
    )
    note.entityMigrationPolicyClassName = MigrationPolicyClasses.name(of: policy)
    let mapping = NSMappingModel()
    mapping.entityMappings = [
      note, NotesMigration.mapping("TagToTag", "Tag", "Tag", ["name": "$source.name"]),
    ]
    return mapping
  }

  /// Saves two notes that share a tag, and returns the URI of the first.
  private func fill(_ stack: PostgreSQLStack) throws -> URL {
    let context = try open(stack, Self.note + Self.tag)
    return try context.performAndWait {
      func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        return object
      }
      let tag = make("Tag", ["name": "shared"])
      let notes = ["Ann Lee", "Bob Ray"].map {
        make("Note", ["title": $0, "tags": NSSet(object: tag)])
      }
      try context.save()
      return notes[0].objectID.uriRepresentation()
    }
  }

  @Test("A custom policy makes the objects, which keep their relationships")
  func policy() throws {
    try PostgreSQLStack.with { stack in
      _ = try fill(stack)
      let options = [StoreOpener.mappingModelOption: mapping(SplittingPolicy.self)]
      let context = try open(stack, Self.entry + Self.tag, options)
      try context.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "first", ascending: true)]
        let notes = try context.fetch(request)
        let names = notes.map { note in
          ["first", "last"].map { note.value(forKey: $0) as? String ?? "nil" }
        }
        #expect(names == [["Ann", "Lee"], ["Bob", "Ray"]])
        let tags = notes.compactMap { ($0.value(forKey: "tags") as? NSSet)?.anyObject() }
        #expect(Set(tags.compactMap { ($0 as? NSManagedObject)?.objectID }).count == 1)
        #expect(tags.count == 2)
        notes[0].setValue("Lea", forKey: "last")
        try context.save()
      }
      let again = try open(stack, Self.entry + Self.tag)
      let count = try again.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "last == 'Lea' AND ANY tags.name == 'shared'")
        return try again.count(for: request)
      }
      #expect(count == 1)
    }
  }

  @Test("An error of a policy ends the migration, and the store is as it was")
  func failingPolicy() throws {
    try PostgreSQLStack.with { stack in
      let uri = try fill(stack)
      let options = [StoreOpener.mappingModelOption: mapping(RefusingPolicy.self)]
      let error = #expect(throws: NSError.self) {
        try open(stack, Self.entry + Self.tag, options)
      }
      #expect("\(error as Any)".contains(RefusingPolicy.reason), "\(error as Any)")
      let context = try open(stack, Self.note + Self.tag)
      try context.performAndWait {
        let coordinator = try #require(context.persistentStoreCoordinator)
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
        let note = try context.existingObject(with: id)
        #expect(note.value(forKey: "title") as? String == "Ann Lee")
        #expect((note.value(forKey: "tags") as? NSSet)?.count == 1)
      }
    }
  }
}

/// Splits a title into two names.
private final class SplittingPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let made = manager.destinationInstances(
      forEntityMappingName: mapping.name,
      sourceInstances: [sInstance]
    )
    let names = (sInstance.value(forKey: "title") as? String ?? "").split(separator: " ")
    for (key, name) in zip(["first", "last"], names) {
      made.first?.setValue(String(name), forKey: key)
    }
  }
}

private final class RefusingPolicy: NSEntityMigrationPolicy {
  static let reason = "this title cannot be split"

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    throw NSError(
      domain: "Names",
      code: 1,
      userInfo: [NSLocalizedDescriptionKey: Self.reason]
    )
  }
}
#endif
