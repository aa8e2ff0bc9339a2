// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Synchronization
import Testing

@Suite(
  "Staged migrations of PostgreSQL stores",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
struct PostgreSQLStagedTests {
  private struct Refusal: Error {}

  /// The number of calls of handlers.
  private final class Calls: Sendable {
    let count = Mutex(0)
  }

  /// Adds the store with a version of the model, and returns a context.
  private func open(
    _ stack: PostgreSQLStack,
    _ version: Int,
    _ stages: [NSMigrationStage]? = nil,
    isReadOnly: Bool = false
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StagedModels.model(version))
    var options: [AnyHashable: Any] = [
      PostgreSQLSchemaOption: stack.schema, NSReadOnlyPersistentStoreOption: isReadOnly,
    ]
    if let stages {
      options[NSMigratePersistentStoresAutomaticallyOption] = true
      options[NSInferMappingModelAutomaticallyOption] = true
      options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager(stages)
    }
    try coordinator.addPersistentStore(
      type: .postgreSQL,
      at: #require(URL(string: stack.address)),
      options: options
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Saves two people with the first version.
  private func fill(_ stack: PostgreSQLStack) throws {
    let context = try open(stack, 1)
    try context.performAndWait {
      for name in ["Ada", "Bob"] {
        NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          .setValue(name, forKey: "name")
      }
      try context.save()
    }
  }

  private func people(_ context: NSManagedObjectContext) throws -> [String] {
    try context.performAndWait { try StagedStore.people(context) }
  }

  /// Returns a stage from version 1 to version 2 that writes names before it and nicks after it, and calls `body`
  /// before it saves.
  private func stage(_ body: @escaping @Sendable () throws -> Void = {}) -> NSCustomMigrationStage {
    let stage = StagedModels.custom(1, 2)
    func change(
      _ manager: NSStagedMigrationManager,
      _ change: (NSManagedObject) -> Void
    ) throws {
      let context = try #require(manager.container?.newBackgroundContext())
      try context.performAndWait {
        for person in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
          change(person)
        }
        try body()
        try context.save()
      }
    }
    stage.willMigrateHandler = { manager, _ in
      try change(manager) { $0.setValue("Dr \($0.value(forKey: "name") ?? "")", forKey: "name") }
    }
    stage.didMigrateHandler = { manager, _ in
      try change(manager) { $0.setValue("new", forKey: "nick") }
    }
    return stage
  }

  @Test("Stages run one after the other, with what their handlers save")
  func stages() throws {
    try PostgreSQLStack.with { stack in
      try fill(stack)
      let stages = [stage(), StagedModels.custom(2, 3), StagedModels.lightweight(4)]
      for _ in 0..<2 {
        // The second time, nothing is left to migrate.
        #expect(try people(open(stack, 4, stages)) == ["Dr Ada new", "Dr Bob new"])
      }
    }
  }

  @Test("The handler that failed runs again when the store is added again")
  func failingHandler() throws {
    try PostgreSQLStack.with { stack in
      try fill(stack)
      let calls = Mutex(0)
      let failing = stage {
        // The second call is that of the handler after the step.
        if calls.withLock({
          $0 += 1; return $0
        }) == 2 {
          throw Refusal()
        }
      }
      let rest = [StagedModels.custom(2, 3), StagedModels.lightweight(4)]
      #expect(throws: Refusal.self) { try open(stack, 4, [failing] + rest) }
      #expect(try people(open(stack, 2)) == ["Dr Ada none", "Dr Bob none"])
      #expect(try people(open(stack, 4, [failing] + rest)) == ["Dr Ada new", "Dr Bob new"])
      #expect(calls.withLock { $0 } == 3)
    }
  }

  @Test("Programs that add the store at the same time run the handlers once")
  func atTheSameTime() async throws {
    try await PostgreSQLStack.with { stack in
      try fill(stack)
      let calls = Calls()
      let found = try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<3 {
          group.addTask {
            try migrated(stack, calls)
          }
        }
        var found: [[String]] = []
        for try await names in group { found.append(names) }
        return found
      }
      #expect(found == Array(repeating: ["Dr Ada new", "Dr Bob new"], count: 3))
      #expect(calls.count.withLock { $0 } == 2)
    }
  }

  private func migrated(_ stack: PostgreSQLStack, _ calls: Calls) throws -> [String] {
    let own = stage { calls.count.withLock { $0 += 1 } }
    return try people(
      open(stack, 4, [own, StagedModels.custom(2, 3), StagedModels.lightweight(4)])
    )
  }

  @Test("A store that is opened for reading only is not migrated, and the steps are named")
  func readOnly() throws {
    try PostgreSQLStack.with { stack in
      try fill(stack)
      let error = #expect(throws: NSError.self) {
        try open(stack, 2, [StagedModels.custom(1, 2)], isReadOnly: true)
      }
      #expect(error?.code == NSMigrationError, "\(error as Any)")
      #expect(error?.localizedFailureReason?.contains("custom stage") == true, "\(error as Any)")
      #expect(try people(open(stack, 1)) == ["Ada", "Bob"])
    }
  }
}
#endif
