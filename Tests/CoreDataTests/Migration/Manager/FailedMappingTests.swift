// SPDX-License-Identifier: Apache-2.0

import CoreData
import Synchronization
import Testing

/// Migrations with a mapping model that cannot be carried out.
@Suite("Failed mappings")
struct FailedMappingTests {
  /// Expects that a migration throws an error of a code whose text has the words, leaves no file at the
  /// destination, and does not change the source.
  @discardableResult
  private func expectFailure(
    _ code: Int,
    _ words: [String],
    in notes: NotesMigration,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> NSError? {
    let before = try Data(contentsOf: notes.sourceURL)
    let error = #expect(throws: NSError.self, sourceLocation: location) { try notes.migrate() }
    let text =
      (error?.localizedDescription ?? "") + (error?.localizedFailureReason ?? "")
    #expect(error?.code == code, "\(text)", sourceLocation: location)
    for word in words { #expect(text.contains(word), "\(text)", sourceLocation: location) }
    #expect(try Data(contentsOf: notes.sourceURL) == before, sourceLocation: location)
    let files = try notes.files().filter { !$0.hasPrefix("Notes.sqlite") }
    #expect(files.isEmpty, "\(files)", sourceLocation: location)
    return error
  }

  private func filled() throws -> NotesMigration {
    let notes = try NotesMigration()
    try notes.fill(3)
    return notes
  }

  @Test("A mapping model of other models is refused, naming the mapping and the entity")
  func otherModels() throws {
    let notes = try filled()
    notes.note.sourceEntityName = "Letter"
    try expectFailure(NSMigrationError, ["NoteToEntry", "Letter", "source"], in: notes)
    notes.note.sourceEntityName = "Note"
    notes.note.destinationEntityName = "Book"
    try expectFailure(NSMigrationError, ["NoteToEntry", "Book", "destination"], in: notes)
    notes.note.destinationEntityName = "Entry"
    notes.note.destinationEntityVersionHash = Data(repeating: 1, count: 32)
    try expectFailure(NSMigrationError, ["NoteToEntry", "Entry", "another version"], in: notes)
  }

  @Test("A property that the destination does not have is named")
  func unknownProperty() throws {
    let notes = try filled()
    notes.note.attributeMappings?.append(NotesMigration.property("colour", "$source.title"))
    try expectFailure(NSMigrationError, ["NoteToEntry", "Entry", "colour"], in: notes)
  }

  @Test("A policy class that is not there is named")
  func missingPolicy() throws {
    let notes = try filled()
    notes.note.entityMigrationPolicyClassName = "Notes.MissingPolicy"
    try expectFailure(
      NSEntityMigrationPolicyError,
      ["Notes.MissingPolicy", "NoteToEntry"],
      in: notes
    )
  }

  @Test("A class that is not a policy is not one")
  func noPolicy() throws {
    let notes = try filled()
    notes.note.entityMigrationPolicyClassName = "MadeAuthor"
    try expectFailure(NSEntityMigrationPolicyError, ["MadeAuthor"], in: notes)
  }

  @Test("The error of a policy is underlying, and names the step", arguments: 0..<7)
  func throwing(_ step: Int) throws {
    let notes = try filled()
    notes.note.entityMigrationPolicyClassName = MigrationPolicyClasses.name(
      of: ThrowingPolicy.classes[step]
    )
    let error = try expectFailure(
      NSEntityMigrationPolicyError,
      ["NoteToEntry", ThrowingPolicy.methods[step]],
      in: notes
    )
    let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(cause?.domain == "test" && cause?.code == step)
  }

  @Test("The error of a policy's function is underlying too, and names the function")
  func throwingFunction() throws {
    let call = "FUNCTION($entityPolicy, \"fail:\", $source.title)"
    for isSource in [false, true] {
      let notes = try filled()
      notes.note.entityMigrationPolicyClassName = MigrationPolicyClasses.name(
        of: FunctionFailure.self
      )
      if isSource {
        notes.note.sourceExpression = CoreData.NSExpression(
          format: "FUNCTION($entityPolicy, \"fail:\", 1)"
        )
      } else {
        notes.note.attributeMappings = [NotesMigration.property("text", call)]
      }
      let error = try expectFailure(
        NSEntityMigrationPolicyError,
        ["NoteToEntry", "fail:", "FunctionFailure", isSource ? "source objects" : "Entry.text"],
        in: notes
      )
      let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
      #expect(cause?.domain == "test" && cause?.code == 7)
    }
  }

  @Test("A migration that is cancelled while its mappings are prepared does not begin")
  func cancelledEarly() throws {
    let notes = try filled()
    notes.note.entityMigrationPolicyClassName = MigrationPolicyClasses.name(
      of: CancellingPolicy.self
    )
    let manager = notes.manager()
    // A cancellation before the migration has no effect on it.
    manager.cancelMigrationWithError(CocoaError(.fileNoSuchFile))
    CancellingPolicy.manager.withLock { $0.manager = manager }
    defer { CancellingPolicy.manager.withLock { $0.manager = nil } }
    let error = #expect(throws: NSError.self) { try notes.migrate(manager) }
    #expect(error?.domain == "test" && error?.code == 8, "\(error as Any)")
    #expect(try notes.files().allSatisfy { $0.hasPrefix("Notes.sqlite") })
    CancellingPolicy.manager.withLock { $0.manager = nil }
    try notes.migrate(manager)
    #expect(try notes.migrated("Entry", by: "rank").count == 3)
  }

  @Test("An expression that cannot be evaluated is named with its property")
  func unevaluable() throws {
    for (expression, words) in [
      ("$source.colour", ["colour"]), ("$nothing.title", ["nothing"]),
      ("FUNCTION($entityPolicy, \"paint:\", $source.title)", ["paint:", "functions"]),
      ("FUNCTION($manager, \"launch:\", $source.title)", ["launch:"]),
    ] {
      let notes = try filled()
      notes.note.attributeMappings = [NotesMigration.property("text", expression)]
      try expectFailure(NSMigrationError, ["NoteToEntry", "Entry.text"] + words, in: notes)
    }
    let notes = try filled()
    notes.note.relationshipMappings = [
      NotesMigration.property("shelf", NotesMigration.instances("Nowhere", "$source.folder"))
    ]
    try expectFailure(NSMigrationError, ["Entry.shelf", "Nowhere", "FolderToShelf"], in: notes)
  }

  @Test("A value that does not fit its property is named")
  func unfit() throws {
    let notes = try filled()
    notes.note.attributeMappings = [NotesMigration.property("rank", "$source.title")]
    try expectFailure(NSMigrationError, ["Entry.rank", "a string"], in: notes)
    notes.note.attributeMappings = []
    notes.note.relationshipMappings = [NotesMigration.property("shelf", "$source.folder")]
    try expectFailure(NSMigrationError, ["Entry.shelf"], in: notes)
    notes.note.relationshipMappings = [
      NotesMigration.property("shelf", NotesMigration.instances("TagToTag", "$source.tags"))
    ]
    try expectFailure(NSMigrationError, ["Entry.shelf"], in: notes)
  }

  @Test("A mandatory attribute without a value is named")
  func mandatory() throws {
    let notes = try NotesMigration { $0["Entry"]?.propertiesByName["headline"]?.isOptional = false }
    try notes.fill(3)
    notes.note.attributeMappings = [NotesMigration.property("rank", "$source.rank")]
    let error = try expectFailure(NSMigrationError, ["Entry", "headline"], in: notes)
    let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(cause?.code == NSValidationMissingMandatoryPropertyError)
    #expect(cause?.userInfo[NSValidationKeyErrorKey] as? String == "headline")
  }

  @Test("A mandatory attribute may be set in a later pass")
  func setLater() throws {
    let notes = try NotesMigration { $0["Entry"]?.propertiesByName["headline"]?.isOptional = false }
    try notes.fill(3)
    notes.note.attributeMappings = [NotesMigration.property("rank", "$source.rank")]
    notes.note.entityMigrationPolicyClassName = MigrationPolicyClasses.name(of: LatePolicy.self)
    try notes.migrate()
    let entries = try notes.migrated("Entry", by: "rank")
    #expect(entries.map { $0["headline"] as? String } == ["late", "late", "late"])
  }

  @Test("A mandatory relationship without a destination is named")
  func mandatoryRelationship() throws {
    let notes = try NotesMigration { $0["Entry"]?.propertiesByName["shelf"]?.isOptional = false }
    try notes.fill(3)
    try notes.migrate()
    #expect(try notes.migrated("Entry", by: "rank").count == 3)
    try FileManager.default.removeItem(at: notes.destinationURL)
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: notes.destinationURL.path + suffix)
    }
    notes.note.relationshipMappings = []
    let error = try expectFailure(NSMigrationError, ["Entry", "shelf"], in: notes)
    let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(cause?.code == NSValidationMissingMandatoryPropertyError)
  }

  @Test("Objects that break a uniqueness constraint are an error of their own")
  func constraint() throws {
    let notes = try NotesMigration { $0["Entry"]?.uniquenessConstraints = [["text"]] }
    try notes.fill(3)
    notes.note.attributeMappings = [NotesMigration.property("text", "\"same\"")]
    try expectFailure(NSMigrationConstraintViolationError, ["Entry"], in: notes)
  }

  @Test("A source that is not there, or has another model, is an error of the source store")
  func badSource() throws {
    let notes = try NotesMigration()
    var error = #expect(throws: NSError.self) { try notes.migrate() }
    #expect(error?.code == NSMigrationManagerSourceStoreError)
    #expect(try notes.files().isEmpty)
    try notes.fill(1)
    let manager = NSMigrationManager(
      sourceModel: Library.model(),
      destinationModel: notes.destination
    )
    let mapping = NSMappingModel()
    error = #expect(throws: NSError.self) {
      try manager.migrateStore(
        from: notes.sourceURL,
        type: .sqlite,
        mapping: mapping,
        to: notes.destinationURL,
        type: .sqlite
      )
    }
    #expect(error?.code == NSMigrationManagerSourceStoreError)
  }

  @Test("A destination that cannot be written is an error of the destination store")
  func badDestination() throws {
    let notes = try filled()
    for (url, type) in [
      (
        notes.folder.appendingPathComponent("none/Entries.sqlite"),
        NSPersistentStore.StoreType.sqlite
      ),
      (notes.destinationURL, .inMemory),
    ] {
      let error = #expect(throws: NSError.self) {
        try notes.manager().migrateStore(
          from: notes.sourceURL,
          type: .sqlite,
          mapping: notes.mapping,
          to: url,
          type: type
        )
      }
      #expect(error?.code == NSMigrationManagerDestinationStoreError)
    }
    #expect(try notes.files().allSatisfy { $0.hasPrefix("Notes.sqlite") })
  }

  @Test("A failed migration into an existing store leaves it as it was")
  func existing() throws {
    let notes = try filled()
    try notes.migrate()
    notes.note.attributeMappings = [NotesMigration.property("rank", "$source.title")]
    #expect(throws: NSError.self) { try notes.migrate() }
    #expect(try notes.migrated("Entry", by: "rank").map { $0["rank"] as? Int } == [0, 1, 2])
  }

  @Test("Two mappings of one name, and no mapping model at all, are errors")
  func names() throws {
    let notes = try filled()
    notes.mapping.entityMappings[2].name = "NoteToEntry"
    try expectFailure(NSMigrationError, ["NoteToEntry"], in: notes)
    let error = #expect(throws: NSError.self) {
      try notes.manager().migrateStore(
        from: notes.sourceURL,
        sourceType: NSSQLiteStoreType,
        with: nil,
        toDestinationURL: notes.destinationURL,
        destinationType: NSSQLiteStoreType
      )
    }
    #expect(error?.code == NSMigrationMissingMappingModelError)
  }
}

private class ThrowingPolicy: NSEntityMigrationPolicy {
  static let classes: [ThrowingPolicy.Type] = [
    Step0.self, Step1.self, Step2.self, Step3.self, Step4.self, Step5.self, Step6.self,
  ]
  static let methods = [
    "begin", "createDestinationInstances", "endInstanceCreation", "createRelationships",
    "endRelationshipCreation", "performCustomValidation", "end(",
  ]
  class var step: Int { 0 }

  private func fail(at step: Int) throws {
    if step == Self.step { throw NSError(domain: "test", code: step) }
  }

  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    try fail(at: 0)
  }
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    try fail(at: 1)
  }
  override func endInstanceCreation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { try fail(at: 2) }
  override func createRelationships(
    forDestination dInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { try fail(at: 3) }
  override func endRelationshipCreation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { try fail(at: 4) }
  override func performCustomValidation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { try fail(at: 5) }
  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    try fail(at: 6)
  }
}

private final class Step0: ThrowingPolicy {}
private final class Step1: ThrowingPolicy { override class var step: Int { 1 } }
private final class Step2: ThrowingPolicy { override class var step: Int { 2 } }
private final class Step3: ThrowingPolicy { override class var step: Int { 3 } }
private final class Step4: ThrowingPolicy { override class var step: Int { 4 } }
private final class Step5: ThrowingPolicy { override class var step: Int { 5 } }
private final class Step6: ThrowingPolicy { override class var step: Int { 6 } }

private final class FunctionFailure: NSEntityMigrationPolicy {
  override class var functions: [String: Function] {
    ["fail:": { _, _ in throw NSError(domain: "test", code: 7) }]
  }
}

/// Cancels the migration that creates it.
private final class CancellingPolicy: NSEntityMigrationPolicy {
  // Unchecked: the manager belongs to the test, which is the only one that sets it.
  struct Slot: @unchecked Sendable { var manager: NSMigrationManager? }
  static let manager = Mutex(Slot())

  override init() {
    super.init()
    Self.manager.withLock { $0.manager }?.cancelMigrationWithError(NSError(domain: "test", code: 8))
  }
}

private final class LatePolicy: NSEntityMigrationPolicy {
  override func createRelationships(
    forDestination dInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { dInstance.setValue("late", forKey: "headline") }
}
