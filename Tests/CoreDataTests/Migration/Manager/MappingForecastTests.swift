// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataSQLite

/// What a plan finds before a mapping model is carried out.
@Suite("Forecast with a mapping model")
struct MappingForecastTests {
  private func refusals(_ migration: NotesMigration) throws -> [String] {
    let forecast = try MappingForecast(
      migration.mapping,
      from: migration.source,
      to: migration.destination,
      store: migration.sourceURL
    ).forecast
    return forecast.refusals.map { "\($0.place) \($0.count) \($0.examples.joined(separator: " "))" }
  }

  /// A migration whose destination has mandatory properties; `isPossible` says whether it succeeds.
  private func migration(
    _ mandatory: [String],
    _ change: (NotesMigration) -> Void = { _ in },
    sql: String = ""
  ) throws -> NotesMigration {
    let migration = try NotesMigration { entities in
      for path in mandatory {
        let parts = path.split(separator: ".").map(String.init)
        let property = entities[parts[0]]?.propertiesByName[parts[1]]
        property?.isOptional = false
        (property as? NSRelationshipDescription)?.minCount = 1
      }
    }
    change(migration)
    try migration.fill(4)
    try SQLFile(url: migration.sourceURL).run(sql)
    return migration
  }

  private func migrates(_ migration: NotesMigration) -> Bool {
    (try? migration.migrate()) != nil
  }

  @Test(
    "A copied value that is nil for a mandatory attribute prevents the migration, as the plan says"
  )
  func copied() throws {
    let migration = try migration(
      ["Entry.headline"],
      sql: "UPDATE ZNOTE SET ZTITLE = NULL WHERE Z_PK IN (2, 3)"
    )
    #expect(try refusals(migration) == ["Entry.headline 2 Note/p2 Note/p3"])
    #expect(!migrates(migration))
    try SQLFile(url: migration.sourceURL).run("UPDATE ZNOTE SET ZTITLE = 'x'")
    #expect(try refusals(migration) == [])
    #expect(migrates(migration))
  }

  @Test("A mandatory attribute without an expression needs a default value")
  func withoutExpression() throws {
    for value in [nil, "none"] as [String?] {
      let migration = try migration(["Entry.headline"]) { migration in
        migration.note.attributeMappings?.removeAll { $0.name == "headline" }
        migration.destination.entitiesByName["Entry"]?.attributesByName["headline"]?.defaultValue =
          value
      }
      let expected = value == nil ? ["Entry.headline 4 Note/p1 Note/p2 Note/p3"] : []
      #expect(try refusals(migration) == expected)
      #expect(migrates(migration) == (value != nil))
    }
  }

  @Test("An expression is evaluated for each object")
  func computed() throws {
    let migration = try migration(
      ["Entry.headline"],
      { migration in
        migration.note.attributeMappings?.removeAll { $0.name == "headline" }
        migration.note.attributeMappings?.append(
          NotesMigration.property("headline", "TERNARY($source.rank > 1, $source.title, nil)")
        )
      }
    )
    #expect(try refusals(migration) == ["Entry.headline 2 Note/p1 Note/p2"])
    #expect(!migrates(migration))
  }

  @Test("A mandatory relationship that stays empty prevents the migration, as the plan says")
  func relationships() throws {
    let migration = try migration(
      ["Entry.shelf"],
      sql: "UPDATE ZNOTE SET ZFOLDER = NULL WHERE Z_PK = 4"
    )
    #expect(try refusals(migration) == ["Entry.shelf 1 Note/p4"])
    #expect(!migrates(migration))
    let unmapped = try self.migration(["Entry.shelf"]) { migration in
      migration.note.relationshipMappings?.removeAll { $0.name == "shelf" }
    }
    #expect(try refusals(unmapped) == ["Entry.shelf 4 Note/p1 Note/p2 Note/p3"])
    #expect(!migrates(unmapped))
    // The expression of the inverse sets it.
    let inverse = try self.migration(["Entry.shelf"]) { migration in
      migration.note.relationshipMappings?.removeAll { $0.name == "shelf" }
      migration.mapping.entityMappings[0].relationshipMappings = [
        NotesMigration.property(
          "entries",
          NotesMigration.instances("NoteToEntry", "$source.notes")
        )
      ]
    }
    #expect(try refusals(inverse) == [])
    #expect(migrates(inverse))
  }

  @Test("A policy may set what the expressions leave empty")
  func policy() throws {
    let migration = try migration(
      ["Entry.headline"],
      {
        $0.note.entityMigrationPolicyClassName = MigrationPolicyClasses.name(of: HookedPolicy.self)
      },
      sql: "UPDATE ZNOTE SET ZTITLE = NULL"
    )
    #expect(try refusals(migration) == [])
  }

  @Test("A sample measures the time, and leaves no file beside the store")
  func sample() throws {
    let migration = try NotesMigration()
    try migration.fill(2000)
    let files = try migration.files()
    let forecast = try MappingForecast(
      migration.mapping,
      from: migration.source,
      to: migration.destination,
      store: migration.sourceURL
    ).forecast
    #expect(forecast.steps.map(\.rows) == [2, 2000, 3])
    // A constant rate would give each object the same time; links take longer.
    let rates = forecast.steps.map { $0.seconds / Double($0.rows) }
    #expect(rates.allSatisfy { $0 > 0 } && Set(rates).count > 1)
    #expect(try migration.files() == files)
  }
}
