// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel
import _CoreDataSQLite

/// DEF-1: a migration that leaves the tables and columns to be dropped for later.
@Suite struct DeferredMigrationTests {
  private static let key = NSPersistentStoreDeferredLightweightMigrationOptionKey
  private static var deferring: [AnyHashable: Any] { [key: true] }

  private static func entity(_ name: String, _ body: String, _ more: String = "") -> String {
    "<entity name=\"\(name)\" \(more)>\(body)</entity>"
  }

  private static func attributes(_ names: String...) -> String {
    names.map { "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>" }.joined()
  }

  private static func many(_ name: String, _ to: String, _ inverse: String) -> String {
    "<relationship name=\"\(name)\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Nullify\" "
      + "destinationEntity=\"\(to)\" inverseName=\"\(inverse)\" inverseEntity=\"\(to)\"/>"
  }

  private static let index =
    #"<fetchIndex name="byB"><fetchIndexElement property="b" type="Binary" order="ascending"/></fetchIndex>"#
  private static let old =
    entity("Team", attributes("a", "b", "c") + many("fans", "Fan", "teams") + index)
    + entity("Fan", attributes("n") + many("teams", "Team", "fans"))
    + entity("Trophy", attributes("year") + index.replacing("\"b\"", with: "\"year\""))
  /// Two columns of `Team`, the table of `Trophy` and the join table of `fans` are not needed.
  private static let new = entity("Team", attributes("a")) + entity("Fan", attributes("n"))
  private static let leftovers = 4

  private func store() throws -> MigratedFile {
    let draft = try InferredMigrationTests.draft(Self.old)
    let file = try MigratedFile()
    try file.open(draft) { context, _ in
      func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
      }
      let fans = (1...4).map { make("Fan", ["n": "fan \($0)"]) }
      for number in 1...20 {
        let team = make("Team", ["a": "a\(number)", "b": "b\(number)", "c": "c\(number)"])
        team.setValue(Set(fans), forKey: "fans")
        _ = make("Trophy", ["year": "\(number)"])
      }
      try context.save()
    }
    return file
  }

  private func coordinator(
    _ file: MigratedFile,
    _ model: String = Self.new,
    _ options: [AnyHashable: Any] = Self.deferring
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: .tools(try InferredMigrationTests.draft(model))
    )
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: file.url,
      options: MigratedFile.migrating.merging(options) { _, new in new }
    )
    return coordinator
  }

  private func close(_ coordinator: NSPersistentStoreCoordinator) throws {
    try coordinator.persistentStores.forEach(coordinator.remove)
  }

  private func isMarked(_ coordinator: NSPersistentStoreCoordinator) -> Bool {
    coordinator.persistentStores.contains { $0.metadata[Self.key] != nil }
  }

  private func values(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait {
      let teams = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team"))
      return teams.compactMap { $0.value(forKey: "a") as? String }.sorted()
    }
  }

  /// Inserts a team, changes another one, and deletes a third one.
  private func write(_ coordinator: NSPersistentStoreCoordinator, _ name: String) throws {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let teams = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team"))
      let sorted = teams.sorted {
        "\($0.value(forKey: "a") ?? "")" < "\($1.value(forKey: "a") ?? "")"
      }
      sorted[0].setValue("\(name) changed", forKey: "a")
      context.delete(sorted[1])
      NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
        .setValue("\(name) new", forKey: "a")
      try context.save()
    }
  }

  /// What a deferred migration has left in the file.
  private func left(_ file: MigratedFile) throws -> [String] {
    try SQLFile(url: file.url).texts(
      "SELECT name FROM sqlite_master WHERE name LIKE 'CDD%' UNION ALL SELECT m.name || '.' || c.name "
        + "FROM sqlite_master m, pragma_table_info(m.name) c WHERE c.name LIKE 'CDD%'"
    )
  }

  @Test(
    "DEF-1: columns and tables stay until the tasks are done, one at a time; the store works meanwhile"
  )
  func tasks() throws {
    let file = try store()
    let migrated = try coordinator(file)
    #expect(isMarked(migrated))
    #expect(try values(migrated).count == 20)
    var left = try left(file).count
    #expect(left == Self.leftovers)
    var tasks = 0
    while isMarked(migrated) {
      try write(migrated, "task \(tasks)")
      try migrated.finishDeferredLightweightMigrationTask()
      tasks += 1
      #expect(try self.left(file).count == left - 1)
      left = try self.left(file).count
    }
    #expect(tasks == Self.leftovers)
    try migrated.finishDeferredLightweightMigrationTask()
    try migrated.finishDeferredLightweightMigration()
    try write(migrated, "last")
    #expect(try values(migrated).count == 20)
    try close(migrated)
    let definition = try ModelDefinition(InferredMigrationTests.draft(Self.new))
    #expect(try file.fileViolations(definition) == [])
  }

  @Test("DEF-1: a process that ends leaves the rest to the next one, which needs no option")
  func interrupted() throws {
    let file = try store()
    let first = try coordinator(file)
    try first.finishDeferredLightweightMigrationTask()
    try close(first)
    let second = try coordinator(file, Self.new, [:])
    #expect(isMarked(second))
    // An application that replaces its metadata does not lose the mark.
    let store = try #require(second.persistentStores.first)
    second.setMetadata(["own": 1], for: store)
    try write(second, "x")
    #expect(isMarked(second) && store.metadata["own"] as? Int == 1)
    try second.finishDeferredLightweightMigration()
    #expect(!isMarked(second))
    #expect(try left(file) == [])
    try close(second)
  }

  @Test("DEF-1: the migration itself writes no row of a table whose columns are dropped")
  func cost() throws {
    let file = try store()
    let (old, new) = (
      try ModelDefinition(InferredMigrationTests.draft(Self.old)),
      try ModelDefinition(InferredMigrationTests.draft(Self.new))
    )
    var options = SQLiteStoreOptions(path: file.url.path)
    options.defersRemovals = true
    let mapping = try ModelMapping(inferredFrom: old, to: new)
    let texts = try StoreMigration(mapping, options: options).plan().steps
      .flatMap(\.statements).map(\.text)
    #expect(!texts.contains { $0.contains("DROP COLUMN") || $0.contains("DROP TABLE") })
    #expect(!texts.contains { $0.hasPrefix("INSERT INTO ZTEAM") || $0.hasPrefix("UPDATE ZTEAM") })
  }

  @Test(
    "The names of what was left are free for later versions, which do not see its values",
    arguments: [true, false]
  )
  func laterVersion(_ isDeferred: Bool) throws {
    let file = try store()
    try close(coordinator(file))
    let later =
      Self.entity(
        "Team",
        Self.attributes("a", "b", "d") + Self.many("fans", "Fan", "teams") + Self.index
      )
      + Self.entity("Fan", Self.attributes("n") + Self.many("teams", "Team", "fans"))
      + Self.entity(
        "Trophy",
        Self.attributes("year") + Self.index.replacing("\"b\"", with: "\"year\"")
      )
    let options = isDeferred ? Self.deferring : [:]
    let migrated = try coordinator(file, later, options)
    #expect(isMarked(migrated) == isDeferred)
    try write(migrated, "later")
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = migrated
    try context.performAndWait {
      let teams = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team"))
      #expect(teams.count == 20)
      #expect(teams.allSatisfy { $0.value(forKey: "b") == nil && $0.value(forKey: "d") == nil })
      #expect(teams.allSatisfy { ($0.value(forKey: "fans") as? NSSet)?.count == 0 })
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Trophy")) == 0)
    }
    try close(migrated)
    // Twice the same columns and tables, now under further names.
    let last = try coordinator(file, Self.new, options)
    #expect(try values(last).count == 20)
    try last.finishDeferredLightweightMigration()
    try close(last)
    let definition = try ModelDefinition(InferredMigrationTests.draft(Self.new))
    #expect(try file.fileViolations(definition) == [])
  }

  @Test(
    "A program with the old model gets the error of a migrated store; one with the new model finds it open"
  )
  func otherPrograms() throws {
    let file = try store()
    let old = try coordinator(file, Self.old)
    let migrated = try coordinator(file)
    let error = #expect(throws: NSError.self) { try values(old) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    let other = try coordinator(file, Self.new, [:])
    #expect(try values(other).count == 20)
    try migrated.finishDeferredLightweightMigration()
    try write(other, "other")
    try write(migrated, "own")
    #expect(try values(other) == values(migrated))
    try [old, migrated, other].forEach(close)
  }

  @Test(
    "DEF-1: a migration that leaves nothing has no mark, nor has a store that needs no migration"
  )
  func nothing() throws {
    let file = try store()
    let unchanged = try coordinator(file, Self.old)
    #expect(!isMarked(unchanged))
    try unchanged.finishDeferredLightweightMigration()
    try close(unchanged)
    let more = try coordinator(file, Self.old + Self.entity("Zoo", ""))
    #expect(!isMarked(more))
    try more.finishDeferredLightweightMigrationTask()
    try close(more)
  }

  @Test(
    "Tasks whose n-th call of the system fails, or whose calls fail from then on, can be done again"
  )
  func failedCalls() async {
    await #expect(processExitsWith: .success) {
      for fate in [EngineCalls.Fate.fails, .failsForGood] {
        try DeferredMigrationTests().failCalls(fate)
      }
    }
  }

  private func failCalls(_ fate: EngineCalls.Fate) throws {
    var (number, failures) = (0, 0)
    while true {
      let file = try store()
      let migrated = try coordinator(file)
      let before = try values(migrated)
      EngineCalls.stop(after: number, fate)
      do {
        try migrated.finishDeferredLightweightMigration()
      } catch {
        failures += 1
      }
      let wasStopped = EngineCalls.end()
      try #require(try values(migrated) == before, "call \(number)")
      try migrated.finishDeferredLightweightMigration()
      try #require(try left(file) == [] && !isMarked(migrated), "call \(number)")
      try write(migrated, "after")
      try close(migrated)
      let definition = try ModelDefinition(InferredMigrationTests.draft(Self.new))
      try #require(try file.fileViolations(definition) == [], "call \(number)")
      if !wasStopped { break }
      number += 1
    }
    try #require(number > 10 && failures > 5, "\(number) calls, \(failures) failures")
  }

  @Test("A migration of a read-only store cannot be finished")
  func readOnly() throws {
    let file = try store()
    try close(coordinator(file))
    let reader = try coordinator(file, Self.new, [NSReadOnlyPersistentStoreOption: true])
    let error = #expect(throws: NSError.self) { try reader.finishDeferredLightweightMigration() }
    #expect(error?.code == CocoaError.fileWriteNoPermission.rawValue)
    #expect(isMarked(reader))
    try close(reader)
  }

  @Test("The files of large values that only dropped attributes name are removed by the migration")
  func largeValues() throws {
    func model(_ attribute: String) throws -> ModelDraft {
      try InferredMigrationTests.draft(Self.entity("Team", Self.attributes("a") + attribute))
    }
    let photo =
      #"<attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>"#
    let file = try MigratedFile()
    try file.open(model(photo)) { context, _ in
      let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
      team.setValue(Data(repeating: 1, count: 200_000), forKey: "photo")
      try context.save()
    }
    func files() throws -> Int {
      FileManager.default.enumerator(atPath: file.folder.path)?
        .compactMap { $0 as? String }.filter { $0.contains("_EXTERNAL_DATA/") }.count ?? 0
    }
    #expect(try files() == 1)
    try file.migrate(to: model(""), options: Self.deferring)
    #expect(try files() == 0)
  }

  @Test("A mapping model removes what an earlier deferred migration has left")
  func mappingModel() throws {
    let migration = try NotesMigration()
    try migration.fill(4)
    let file = SQLFile(url: migration.sourceURL)
    try file.run(
      "ALTER TABLE ZNOTE ADD COLUMN CDD_ZOLD TEXT; CREATE TABLE CDD_ZGONE (Z_PK INTEGER PRIMARY KEY);"
    )
    try migration.manager().migrateStore(
      from: migration.sourceURL,
      type: .sqlite,
      mapping: migration.mapping,
      to: migration.sourceURL,
      type: .sqlite
    )
    #expect(
      try file.texts(
        "SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c "
          + "WHERE m.name LIKE 'CDD%' OR c.name LIKE 'CDD%'"
      ) == []
    )
  }

  @Test("A task that fails at any call of the system has removed its column or table, or not")
  func failingCalls() async {
    await #expect(processExitsWith: .success) { try DeferredMigrationTests().failCalls() }
  }

  private func failCalls() throws {
    let definition = try ModelDefinition(InferredMigrationTests.draft(Self.new))
    let file = try store()
    try close(coordinator(file))
    var number = 0
    var failures = 0
    while try !left(file).isEmpty {
      let before = try left(file).count
      let store = try SQLiteStore(
        model: definition,
        index: 0,
        options: SQLiteStoreOptions(path: file.url.path)
      )
      EngineCalls.stop(after: number, .fails)
      var hasFailed = false
      do {
        _ = try store.removeLeftover()
      } catch {
        hasFailed = true
      }
      let wasStopped = EngineCalls.end()
      store.close()
      let after = try left(file).count
      #expect(after == before || after == before - 1)
      #expect(try SQLFile(url: file.url).texts("PRAGMA integrity_check") == ["ok"])
      if hasFailed { failures += 1 }
      number = wasStopped ? number + 1 : 0
    }
    try #require(failures > 5, "\(failures)")
    #expect(try file.fileViolations(definition) == [])
  }
}
