// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Mapping models and transformable attributes that cannot be decoded")
struct TransformableMappingTests {
  /// A migration of four notes with an image, whose stored data no transformer of this program decodes.
  private func migration(
    _ source: String?,
    _ destination: String?,
    _ expression: String
  ) throws -> NotesMigration {
    let migration = try NotesMigration()
    for (entity, transformer) in [
      (migration.source.entitiesByName["Note"], source),
      (migration.destination.entitiesByName["Entry"], destination),
    ] {
      let image = NSAttributeDescription()
      image.name = "image"
      image.attributeType = .transformableAttributeType
      image.valueTransformerName = transformer
      image.isOptional = true
      entity?.properties += [image]
    }
    migration.note.attributeMappings?.append(NotesMigration.property("image", expression))
    try migration.fill(4)
    try SQLFile(url: migration.sourceURL).run("UPDATE ZNOTE SET ZIMAGE = x'0102' || Z_PK")
    return migration
  }

  private func images(_ url: URL, _ table: String) throws -> [String] {
    try SQLFile(url: url).texts("SELECT hex(ZIMAGE) FROM \(table) ORDER BY ZRANK")
  }

  @Test(
    "A mapping that copies a transformable copies its data, with or without the transformer's name",
    arguments: ["OnlyInTheApp", nil] as [String?]
  )
  func copied(_ transformer: String?) throws {
    let migration = try migration(transformer, transformer, "$source.image")
    let images = try images(migration.sourceURL, "ZNOTE")
    #expect(Set(images).count == 4)
    try migration.migrate()
    #expect(try self.images(migration.destinationURL, "ZENTRY") == images)
  }

  @Test(
    "A mapping that would lose a value that cannot be decoded fails, and names the value",
    arguments: [
      ("OnlyInTheApp", "AlsoOnlyInTheApp", "$source.image", "'OnlyInTheApp'"),
      (nil, "OnlyInTheApp", "$source.image", "not an archive"),
      ("OnlyInTheApp", "OnlyInTheApp", "TERNARY(1 == 1, $source.image, nil)", "'OnlyInTheApp'"),
    ] as [(String?, String?, String, String)]
  )
  func refused(
    _ source: String?,
    _ destination: String?,
    _ expression: String,
    _ cause: String
  ) throws {
    let migration = try migration(source, destination, expression)
    let images = try images(migration.sourceURL, "ZNOTE")
    let error = #expect(throws: NSError.self) { try migration.migrate() }
    #expect(error?.code == NSMigrationError)
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.contains("Note.image") && reason.contains(cause), "\(reason)")
    #expect(try self.images(migration.sourceURL, "ZNOTE") == images)
    #expect(!FileManager.default.fileExists(atPath: migration.destinationURL.path))
  }

  /// A migration of four notes, whose folders and notes have an image of the transformer `name`.
  private func related(
    _ name: String?,
    _ expression: String?,
    policy: NSEntityMigrationPolicy.Type? = nil
  ) throws -> NotesMigration {
    let migration = try NotesMigration()
    for entity in ["Note", "Folder"] {
      let image = NSAttributeDescription()
      image.name = "image"
      image.attributeType = .transformableAttributeType
      image.valueTransformerName = name
      image.isOptional = true
      migration.source.entitiesByName[entity]?.properties += [image]
    }
    if let expression {
      migration.note.attributeMappings?.removeAll { $0.name == "text" }
      migration.note.attributeMappings?.append(NotesMigration.property("text", expression))
    }
    migration.note.entityMigrationPolicyClassName = policy.map {
      MigrationPolicyClasses.name(of: $0)
    }
    try migration.fill(4)
    return migration
  }

  private static let function = "FUNCTION($source, \"valueForKey:\", \"image\")"
  private static let tests = "TERNARY(%@ == nil, \"none\", \"some\")"
  private static func test(_ value: String) -> String {
    tests.replacingOccurrences(of: "%@", with: value)
  }

  @Test(
    "A value of a related object, or one read by a function or a policy, is named if it cannot be decoded",
    arguments: [
      ("Folder.image", test("$source.folder.image"), nil),
      ("Note.image", test(function), nil),
      ("Note.image", test("$source.folder.notes.image"), nil),
      ("Note.image", nil, ImagePolicy.self),
      (
        "Folder.image", "FUNCTION($entityPolicy, \"folderImage:\", $source)",
        ImageFunctionPolicy.self
      ),
    ] as [(String, String?, NSEntityMigrationPolicy.Type?)]
  )
  func read(_ value: String, _ expression: String?, _ policy: NSEntityMigrationPolicy.Type?) throws
  {
    for (name, cause) in [("OnlyInTheApp", "'OnlyInTheApp'"), (nil, "not an archive")] {
      let migration = try related(name, expression, policy: policy)
      let file = SQLFile(url: migration.sourceURL)
      // Without values there is nothing to decode.
      try migration.migrate()
      try FileManager.default.removeItem(at: migration.destinationURL)
      try file.run("UPDATE ZFOLDER SET ZIMAGE = x'0102'; UPDATE ZNOTE SET ZIMAGE = x'0102'")
      let error = #expect(throws: NSError.self) { try migration.migrate() }
      #expect(error?.code == NSMigrationError)
      let reason = error?.localizedFailureReason ?? ""
      #expect(reason.contains("\(value) of ") && reason.contains(cause), "\(reason)")
      #expect(!FileManager.default.fileExists(atPath: migration.destinationURL.path))
    }
  }

  @Test("A value that can be decoded is read, also of related objects")
  func decoded() throws {
    let migration = try related(nil, "$source.folder.image")
    let context = try migration.stack(migration.source, migration.sourceURL)
    for folder in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Folder")) {
      folder.setValue("cover", forKey: "image")
    }
    try context.save()
    try migration.migrate()
    let entries = try migration.migrated("Entry", by: "rank")
    #expect(
      entries.map { $0.value(forKey: "text") as? String } == Array(repeating: "cover", count: 4)
    )
  }
}

/// Reads the image of each note.
final class ImagePolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    _ = source.value(forKey: "image")
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
  }
}

/// Has a function that reads the image of a note's folder.
final class ImageFunctionPolicy: NSEntityMigrationPolicy {
  override class var functions: [String: Function] {
    [
      "folderImage:": { _, arguments in
        let folder = (arguments[0] as? NSManagedObject)?.value(forKey: "folder")
        return (folder as? NSManagedObject)?.value(forKey: "image") as? String
      }
    ]
  }
}
