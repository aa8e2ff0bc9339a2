// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel
import _CoreDataTools

/// The comparison of a migrated store with the expressions of its mapping model.
@Suite("Comparison with a mapping model")
struct MappingComparisonTests {
  private struct Result {
    var objects: Set<String> = []
    var values = 0
    var links = 0
    var differences: [String] = []
    var skipped: [String] = []
  }

  /// Migrates a store in place, changes the result with SQL, and compares it with a copy of the store.
  private func compare(
    _ sql: String = "",
    _ change: (NotesMigration) -> Void = { _ in }
  ) throws -> Result {
    let migration = try NotesMigration()
    change(migration)
    try migration.fill(4)
    let before = migration.folder.appendingPathComponent("before.sqlite")
    try FileManager.default.copyItem(at: migration.sourceURL, to: before)
    let associations = MappingAssociations()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: migration.destination)
    let store = try coordinator.addPersistentStore(
      type: .sqlite,
      at: migration.sourceURL,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true,
        StoreOpener.mappingModelOption: migration.mapping,
        StoreOpener.associationsOption: associations,
      ]
    )
    try coordinator.remove(store)
    try SQLFile(url: migration.sourceURL).run(sql)
    let comparison = try MappingComparison(
      migration.mapping,
      from: migration.source,
      at: before,
      to: migration.destination,
      at: migration.sourceURL,
      associations
    )
    defer { comparison.close() }
    var result = Result()
    for name in comparison.names {
      result.skipped += comparison.skipped(name)
      try comparison.run(name, progress: { _ in }) { object, finding in
        result.objects.insert(object)
        switch finding {
        case .value(let property, let expected, let found):
          result.values += 1
          if !MigrationComparison.areEqual(expected, found) {
            result.differences.append("\(object).\(property.name)")
          }
        case .links(let property, let expected, let found):
          result.links += 1
          if Set(expected) != Set(found) {
            result.differences.append("\(object).\(property.name)")
          }
        case .destinations(let source, let count):
          result.differences.append("\(source): \(count)")
        }
      }
    }
    result.differences.sort()
    return result
  }

  @Test("A migrated store has the values and links of the expressions")
  func equal() throws {
    let result = try compare()
    #expect(result.objects.count == 2 + 4 + 3)
    #expect(result.values == 2 + 4 * 3 + 3 && result.links == 4 * 2)
    #expect(result.differences == [] && result.skipped == [])
  }

  @Test("Values, links and objects that are not as the expressions say are found")
  func different() throws {
    let result = try compare(
      """
      UPDATE ZENTRY SET ZHEADLINE = 'x' WHERE Z_PK = 2; UPDATE ZENTRY SET ZSHELF = NULL WHERE Z_PK = 3;
      UPDATE ZTAG SET ZNAME = NULL WHERE Z_PK = 1; DELETE FROM ZENTRY WHERE Z_PK = 4;
      """
    )
    #expect(
      result.differences == [
        "Entry/p2.headline", "Entry/p3.shelf", "Note/p4: 0", "Tag/p1.name",
      ]
    )
  }

  @Test("Computed values are compared, and those of a policy's function are not")
  func computed() throws {
    let result = try compare("UPDATE ZENTRY SET ZRANK = 100 WHERE Z_PK = 1") { migration in
      migration.note.attributeMappings = [
        NotesMigration.property("rank", "$source.rank * 10 + 1"),
        NotesMigration.property("headline", "$entityMapping.name"),
      ]
    }
    #expect(result.differences == ["Entry/p1.rank"])
    #expect(result.skipped.count == 1 && result.skipped[0].hasPrefix("headline = "))
  }

  @Test("A transformable is compared by its data")
  func transformable() throws {
    func images(_ migration: NotesMigration) {
      for entity in [
        migration.source.entitiesByName["Note"], migration.destination.entitiesByName["Entry"],
      ] {
        let image = NSAttributeDescription()
        image.name = "image"
        image.attributeType = .transformableAttributeType
        image.isOptional = true
        image.defaultValue = "cover"
        entity?.properties += [image]
      }
      migration.note.attributeMappings?.append(NotesMigration.property("image", "$source.image"))
    }
    #expect(try compare("", images).differences == [])
    let changed = try compare("UPDATE ZENTRY SET ZIMAGE = x'00' WHERE Z_PK = 2", images)
    #expect(changed.differences == ["Entry/p2.image"])
  }
}
