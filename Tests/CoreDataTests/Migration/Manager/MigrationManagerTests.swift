// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The three passes of a migration with a mapping model made in code.
@Suite("Migration manager")
struct MigrationManagerTests {
  @Test("A mapping model moves objects with their attributes and relationships into a new file")
  func migrates() throws {
    let notes = try NotesMigration()
    try notes.fill(5)
    try notes.migrate()
    let entries = try notes.migrated("Entry", by: "rank")
    #expect(entries.map { $0["headline"] as? String } == (0..<5).map { "note \($0)" })
    #expect(entries.map { $0["text"] as? String } == (0..<5).map { "text \($0)" })
    #expect(entries.map { $0["rank"] as? Int } == [0, 1, 2, 3, 4])
    let labels = entries.map { ($0["shelf"] as? NSManagedObject)?["label"] as? String }
    #expect(labels == ["folder 0", "folder 1", "folder 0", "folder 1", "folder 0"])
    let tags = entries.map {
      ($0["tags"] as? Set<NSManagedObject>)?.map { $0["name"] as? String ?? "" }
    }
    #expect(
      tags.map { $0?.sorted() }
        == (0..<5).map { ["tag \($0 % 3)", "tag \(($0 + 1) % 3)"].sorted() }
    )
    #expect(try notes.migrated("Shelf", by: "label").count == 2)
    #expect(try notes.migrated("Tag", by: "name").count == 3)
  }

  @Test("More objects than a batch holds keep their values and their partners")
  func batches() throws {
    let notes = try NotesMigration()
    try notes.fill(1500, folders: 700)
    try notes.migrate()
    let entries = try notes.migrated("Entry", by: "rank")
    #expect(entries.count == 1500)
    for (number, entry) in entries.enumerated() {
      #expect(entry["headline"] as? String == "note \(number)")
      #expect((entry["shelf"] as? NSManagedObject)?["label"] as? String == "folder \(number % 700)")
    }
    let shelves = try notes.migrated("Shelf", by: "label")
    #expect(shelves.allSatisfy { ($0["entries"] as? NSSet)?.count ?? 0 >= 2 })
    let tags = try notes.migrated("Tag", by: "name")
    #expect(tags.map { ($0["entries"] as? NSSet)?.count } == [1000, 1000, 1000])
  }

  @Test("A policy changes objects as they are created")
  func policy() throws {
    let notes = try NotesMigration()
    try notes.fill(4)
    notes.note.entityMigrationPolicyClassName = NSStringFromClass(ShoutingPolicy.self)
    let manager = notes.manager()
    manager.userInfo = ["prefix": "> "]
    try notes.migrate(manager)
    let entries = try notes.migrated("Entry", by: "rank")
    #expect(entries.map { $0["headline"] as? String } == (0..<4).map { "> NOTE \($0)" })
    #expect(
      entries.map { $0["text"] as? String } == (0..<4).map { "text \($0) on folder \($0 % 2)" }
    )
  }

  @Test("The contexts of a manager can be used before and after a migration")
  func contexts() throws {
    let notes = try NotesMigration()
    try notes.fill(1)
    let manager = notes.manager()
    #expect(manager.sourceContext.persistentStoreCoordinator?.persistentStores.isEmpty == true)
    #expect(manager.currentEntityMapping.name == "" && manager.migrationProgress == 0)
    #expect(manager.mappingModel.entityMappings.isEmpty)
    try notes.migrate(manager)
    #expect(manager.destinationContext.persistentStoreCoordinator?.persistentStores.isEmpty == true)
    #expect(manager.currentEntityMapping.name == "" && manager.migrationProgress == 0)
    #expect(manager.mappingModel === notes.mapping)
    #expect(manager.usesStoreSpecificMigrationManager)
    #expect(manager.sourceEntity(for: notes.note)?.name == "Note")
    #expect(manager.destinationEntity(for: notes.note)?.name == "Entry")
    #expect(
      manager.destinationInstances(forEntityMappingName: "none", sourceInstances: nil).isEmpty
    )
  }

  @Test("Objects are added to a store that is at the destination")
  func appended() throws {
    let notes = try NotesMigration()
    try notes.fill(3)
    try notes.migrate()
    try notes.migrate()
    let entries = try notes.migrated("Entry", by: "rank")
    #expect(entries.map { $0["rank"] as? Int } == [0, 0, 1, 1, 2, 2])
    #expect(try notes.files().filter { $0.contains("migration") }.isEmpty)
  }

  @Test("The application's metadata are copied")
  func metadata() throws {
    let notes = try NotesMigration()
    try notes.fill(1)
    try NSPersistentStoreCoordinator.setMetadata(
      ["author": "Ann"],
      type: .sqlite,
      at: notes.sourceURL
    )
    try notes.migrate()
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite,
      at: notes.destinationURL
    )
    #expect(metadata["author"] as? String == "Ann")
    let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite,
      at: notes.sourceURL
    )
    #expect(metadata[NSStoreUUIDKey] as? String != before[NSStoreUUIDKey] as? String)
  }

  @Test("The order of the steps is that of the mapping model, pass by pass")
  func steps() throws {
    let notes = try NotesMigration()
    try notes.fill(2, folders: 1)
    for mapping in notes.mapping.entityMappings {
      mapping.entityMigrationPolicyClassName = NSStringFromClass(RecordingPolicy.self)
    }
    let manager = notes.manager()
    let log = StepLog()
    manager.userInfo = ["log": log]
    try notes.migrate(manager)
    #expect(
      log.steps == [
        "begin FolderToShelf", "create folder 0", "instances FolderToShelf", "begin NoteToEntry",
        "create note 0", "create note 1", "instances NoteToEntry", "begin TagToTag", "create tag 0",
        "create tag 1", "create tag 2", "instances TagToTag", "relate Shelf",
        "relationships FolderToShelf", "relate Entry", "relate Entry", "relationships NoteToEntry",
        "relate Tag", "relate Tag", "relate Tag", "relationships TagToTag",
        "validate FolderToShelf", "end FolderToShelf", "validate NoteToEntry", "end NoteToEntry",
        "validate TagToTag", "end TagToTag",
      ]
    )
  }

  @Test("Progress and the current mapping can be observed")
  func observed() throws {
    let notes = try NotesMigration()
    try notes.fill(1200)
    let manager = notes.manager()
    var progress: [Float] = []
    var names: [String] = []
    let observations = [
      manager.observe(\.migrationProgress, options: [.new, .old]) { _, change in
        progress.append(change.newValue ?? -1)
      },
      manager.observe(\.currentEntityMapping, options: .new) { _, change in
        names.append(change.newValue?.name ?? "")
      },
    ]
    try notes.migrate(manager)
    withExtendedLifetime(observations) {}
    #expect(progress.last == 0 && progress.dropLast().max() == 1)
    #expect(progress.dropLast() == progress.dropLast().sorted()[...] && progress.count > 9)
    let once = ["FolderToShelf", "NoteToEntry", "TagToTag"]
    #expect(names == once + once + once + [""])
  }

  @Test("The error of a cancellation is thrown, and no file is left")
  func cancelled() throws {
    let notes = try NotesMigration()
    try notes.fill(600)
    for (error, code) in [
      (CocoaError(.userCancelled) as any Error, CocoaError.userCancelled.rawValue),
      (CancellationError(), NSMigrationCancelledError),
    ] {
      let manager = notes.manager()
      let observation = manager.observe(\.migrationProgress) { manager, _ in
        manager.cancelMigrationWithError(error)
      }
      let thrown = #expect(throws: (any Error).self) { try notes.migrate(manager) }
      #expect((thrown as NSError?)?.code == code)
      withExtendedLifetime(observation) {}
      #expect(try notes.files().filter { !$0.hasPrefix("Notes.sqlite") }.isEmpty)
    }
    try notes.migrate()
    #expect(try notes.migrated("Entry", by: "rank").count == 600)
  }
}

final class ShoutingPolicy: NSEntityMigrationPolicy {
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
    let title = sInstance.value(forKey: "title") as? String ?? ""
    let prefix = manager.userInfo?["prefix"] as? String ?? ""
    made.first?.setValue(prefix + title.uppercased(), forKey: "headline")
  }

  override func createRelationships(
    forDestination dInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    let source = manager.sourceInstances(
      forEntityMappingName: mapping.name,
      destinationInstances: [dInstance]
    ).first
    let folder = source?.value(forKey: "folder") as? NSManagedObject
    let name = folder?.value(forKey: "name") as? String ?? "none"
    dInstance.setValue("\(dInstance["text"] as? String ?? "") on \(name)", forKey: "text")
  }
}

final class StepLog {
  var steps: [String] = []
}

final class RecordingPolicy: NSEntityMigrationPolicy {
  private func log(_ step: String, _ manager: NSMigrationManager) {
    (manager.userInfo?["log"] as? StepLog)?.steps.append(step)
  }

  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    log("begin \(mapping.name ?? "")", manager)
    #expect(manager.currentEntityMapping === mapping)
  }

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let key = sInstance.entity.name == "Note" ? "title" : "name"
    log("create \(sInstance.value(forKey: key) as? String ?? "")", manager)
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
  }

  override func endInstanceCreation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { log("instances \(mapping.name ?? "")", manager) }

  override func createRelationships(
    forDestination dInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    log("relate \(dInstance.entity.name ?? "")", manager)
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
  }

  override func endRelationshipCreation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { log("relationships \(mapping.name ?? "")", manager) }

  override func performCustomValidation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { log("validate \(mapping.name ?? "")", manager) }

  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    log("end \(mapping.name ?? "")", manager)
  }
}
