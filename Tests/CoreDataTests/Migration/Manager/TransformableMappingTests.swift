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
}
