// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing
import _CoreDataTools

@Suite(
  "Contexts on a PostgreSQL database",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
@MainActor
struct PostgreSQLStoreTests {
  @Test("A description of a URL with the scheme postgresql is that of a PostgreSQL store")
  func type() throws {
    let url = try #require(URL(string: "postgresql://me:secret@host/data"))
    let description = NSPersistentStoreDescription(url: url)
    #expect(description.type == NSPersistentStore.StoreType.postgreSQL.rawValue)
    #expect(!description.description.contains("secret"))
    #expect(NSPersistentStoreDescription(url: URL(fileURLWithPath: "/a")).type == NSSQLiteStoreType)
  }

  @Test("Objects of one coordinator are fetched by another, with predicates and sort descriptors")
  func twoCoordinators() throws {
    try PostgreSQLStack.with { stack in
      let one = try stack.container().viewContext
      for number in 0..<50 {
        stack.add("Team \(number)", wins: number, to: one)
      }
      try one.save()
      let other = try stack.container().viewContext
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.predicate = NSPredicate(format: "wins >= 40 AND name CONTAINS[cd] 'TEAM'")
      request.sortDescriptors = [NSSortDescriptor(key: "wins", ascending: false)]
      request.fetchLimit = 3
      #expect(try other.fetch(request).map { $0.value(forKey: "wins") as? Int } == [49, 48, 47])
      request.fetchLimit = 0
      #expect(try other.count(for: request) == 10)
    }
  }

  @Test("A save of a version that is not the newest is a conflict, which a merge policy resolves")
  func conflict() throws {
    try PostgreSQLStack.with { stack in
      let one = try stack.container().viewContext
      stack.add("Ajax", wins: 1, to: one)
      try one.save()
      let other = try stack.container().viewContext
      let mine = try #require(stack.teams(one).first)
      let yours = try #require(stack.teams(other).first)
      #expect(yours.value(forKey: "wins") as? Int == 1)
      mine.setValue(2, forKey: "wins")
      try one.save()
      yours.setValue("AFC Ajax", forKey: "name")
      let error = #expect(throws: (any Error).self) { try other.save() }
      #expect((error as NSError?)?.code == NSManagedObjectMergeError)
      other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try other.save()
      one.refresh(mine, mergeChanges: false)
      #expect(mine.value(forKey: "name") as? String == "AFC Ajax")
      #expect(mine.value(forKey: "wins") as? Int == 2)
    }
  }

  @Test("Relationships are saved, read as faults, and follow their delete rules")
  func relationships() throws {
    try PostgreSQLStack.with { stack in
      let one = try stack.container().viewContext
      let team = stack.add("Ajax", wins: 1, to: one)
      for name in ["Johan", "Dennis"] {
        let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: one)
        player.setValue(name, forKey: "name")
        player.setValue(team, forKey: "team")
      }
      try one.save()
      let other = try stack.container().viewContext
      let read = try #require(stack.teams(other).first)
      let players = try #require(read.value(forKey: "players") as? Set<NSManagedObject>)
      #expect(
        Set(players.compactMap { $0.value(forKey: "name") as? String }) == ["Johan", "Dennis"]
      )
      other.delete(read)
      try other.save()
      let rest = NSFetchRequest<NSManagedObject>(entityName: "Player")
      #expect(try stack.container().viewContext.count(for: rest) == 0)
    }
  }

  @Test("A duplicate of a unique value is a constraint conflict that names both objects")
  func constraint() throws {
    try PostgreSQLStack.with { stack in
      let one = try stack.container().viewContext
      stack.add("Ajax", wins: 1, code: "AJA", to: one)
      try one.save()
      let other = try stack.container().viewContext
      stack.add("Another", wins: 2, code: "AJA", to: other)
      let error = #expect(throws: (any Error).self) { try other.save() }
      #expect((error as NSError?)?.code == NSManagedObjectConstraintMergeError)
      other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try other.save()
      let found = try stack.teams(stack.container().viewContext)
      #expect(found.map { $0.value(forKey: "name") as? String } == ["Another"])
    }
  }

  @Test(
    "A text with a zero byte is refused with entity and attribute, and the context keeps its changes"
  )
  func zeroByte() throws {
    try PostgreSQLStack.with { stack in
      let context = try stack.container().viewContext
      let team = stack.add("zero\u{0}byte", wins: 1, to: context)
      let error = #expect(throws: (any Error).self) { try context.save() }
      #expect((error as NSError?)?.localizedFailureReason?.contains("Team.name") == true)
      #expect(context.insertedObjects == [team])
      team.setValue("fine", forKey: "name")
      try context.save()
    }
  }

  @Test("The store of another model is refused with the differences")
  func otherModel() throws {
    try PostgreSQLStack.with { stack in
      _ = try stack.container()
      let model = PostgreSQLStack.makeModel()
      let city = NSAttributeDescription()
      city.name = "city"
      city.attributeType = .stringAttributeType
      model.entitiesByName["Team"]?.properties.append(city)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let error = #expect(throws: (any Error).self) {
        try coordinator.addPersistentStore(
          type: .postgreSQL,
          at: #require(URL(string: stack.address)),
          options: [PostgreSQLSchemaOption: stack.schema]
        )
      }
      #expect((error as NSError?)?.code == NSPersistentStoreIncompatibleVersionHashError)
      #expect((error as NSError?)?.localizedFailureReason?.contains("city") == true)
    }
  }

  @Test("The metadata of a store are read without its model")
  func metadata() throws {
    try PostgreSQLStack.with { stack in
      let store = try #require(
        stack.container().persistentStoreCoordinator.persistentStores.first
      )
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .postgreSQL,
        at: #require(URL(string: stack.address)),
        options: [PostgreSQLSchemaOption: stack.schema]
      )
      #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
      #expect(metadata[NSStoreTypeKey] as? String == "PostgreSQL")
      let model = PostgreSQLStack.makeModel()
      #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
      #expect(throws: (any Error).self) {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(
          type: .postgreSQL,
          at: #require(URL(string: stack.address)),
          options: [PostgreSQLSchemaOption: "no_such_schema"]
        )
      }
    }
  }

  @Test("A wrong password is an error that does not contain it")
  func wrongPassword() throws {
    try PostgreSQLStack.with { stack in
      var other = stack
      other.address = stack.address.replacing("only-for-tests", with: "secret-and-wrong")
      let error = #expect(throws: (any Error).self) { try other.container() }
      #expect((error as NSError?)?.code == NSPersistentStoreOpenError)
      let text = "\(String(describing: error)) \((error as NSError?)?.userInfo ?? [:])"
      #expect(!text.contains("secret-and-"))
    }
  }

  @Test("Batch requests insert, change and delete rows, by the rules of their relationships")
  func batches() throws {
    try PostgreSQLStack.with { stack in
      let context = try stack.container().viewContext
      let rows = (0..<100).map { ["name": "Team \($0)", "wins": $0] as [String: Any] }
      let insertion = NSBatchInsertRequest(entityName: "Team", objects: rows)
      insertion.resultType = .count
      let inserted = try context.execute(insertion) as? NSBatchInsertResult
      #expect(inserted?.result as? Int == 100)
      let update = NSBatchUpdateRequest(entityName: "Team")
      update.predicate = NSPredicate(format: "wins < 10")
      update.propertiesToUpdate = [
        "wins": NSExpression(format: "wins + 1000"), "code": NSNull(),
      ]
      update.resultType = .updatedObjectsCountResultType
      let updated = try context.execute(update) as? NSBatchUpdateResult
      #expect(updated?.result as? Int == 10)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.predicate = NSPredicate(format: "wins >= 1000")
      request.sortDescriptors = [NSSortDescriptor(key: "wins", ascending: true)]
      let changed = try context.fetch(request)
      #expect(changed.map { $0.value(forKey: "wins") as? Int } == Array(1_000..<1_010))
      let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
      player.setValue(changed[0], forKey: "team")
      try context.save()
      let doomed = NSFetchRequest<NSFetchRequestResult>(entityName: "Team")
      doomed.predicate = NSPredicate(format: "wins >= 1000")
      let deletion = NSBatchDeleteRequest(fetchRequest: doomed)
      deletion.resultType = .resultTypeCount
      let deleted = try context.execute(deletion) as? NSBatchDeleteResult
      #expect(deleted?.result as? Int == 10)
      let other = try stack.container().viewContext
      #expect(try stack.teams(other).count == 90)
      let players = NSFetchRequest<NSManagedObject>(entityName: "Player")
      #expect(try other.count(for: players) == 0)
    }
  }

  @Test("A store with a history gives the transactions of other coordinators, which contexts merge")
  func history() throws {
    try PostgreSQLStack.with { stack in
      let one = try stack.container(tracksHistory: true).viewContext
      one.transactionAuthor = "one"
      let other = try stack.container(tracksHistory: true)
      let token = other.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
      let team = stack.add("Ajax", wins: 1, to: one)
      try one.save()
      team.setValue(2, forKey: "wins")
      try one.save()
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let result = try other.viewContext.execute(request) as? NSPersistentHistoryResult
      let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
      #expect(transactions.map(\.author) == ["one", "one"])
      let changes = transactions.compactMap(\.changes).joined()
      #expect(changes.map(\.changeType) == [.insert, .update])
      #expect(changes.last?.updatedProperties?.map(\.name) == ["wins"])
      for transaction in transactions {
        other.viewContext.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      }
      #expect(try stack.teams(other.viewContext).first?.value(forKey: "wins") as? Int == 2)
    }
  }

  @Test("The command opens the store by its URL, with the copy of its model")
  func command() throws {
    try PostgreSQLStack.with { stack in
      let context = try stack.container().viewContext
      for number in 0..<5 { stack.add("Team \(number)", wins: number, to: context) }
      try context.save()
      let url = try #require(URL(string: "\(stack.address)?schema=\(stack.schema)"))
      let opened = try OpenedStore(url, model: nil)
      #expect(opened.model.entities.map(\.name) == ["Player", "Team"])
      #expect(!opened.path.contains("only-for-tests"))
      #expect(opened.store.isReadOnly)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.predicate = NSPredicate(format: "wins > 2")
      let reading = opened.newContext()
      #expect(try reading.performAndWait { try reading.count(for: request) } == 2)
    }
  }

  @Test("A context that is pinned to a query generation does not see later saves")
  func generation() throws {
    try PostgreSQLStack.with { stack in
      let one = try stack.container().viewContext
      stack.add("Ajax", wins: 1, to: one)
      try one.save()
      let other = try stack.container().viewContext
      try other.setQueryGenerationFrom(.current)
      #expect(try stack.teams(other).count == 1)
      stack.add("PSV", wins: 2, to: one)
      try one.save()
      #expect(try stack.teams(other).count == 1)
      try other.setQueryGenerationFrom(nil)
      #expect(try stack.teams(other).count == 2)
    }
  }

  @Test("A store is destroyed at once, also while a context is pinned to one of its moments")
  func destroyedGeneration() throws {
    try PostgreSQLStack.with { stack in
      let container = try stack.container()
      let context = container.viewContext
      stack.add("first", wins: 1, to: context)
      try context.save()
      try context.setQueryGenerationFrom(.current)
      #expect(try stack.teams(context).count == 1)
      // A lock of the pinned context would be waited for until the timeout, and then be an error.
      try container.persistentStoreCoordinator.destroyPersistentStore(
        at: #require(URL(string: stack.address)),
        type: .postgreSQL,
        options: [PostgreSQLSchemaOption: stack.schema, NSPersistentStoreTimeoutOption: 2]
      )
      #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
    }
  }

  @Test("A save of another process's coordinator posts a notification of a remote change")
  func remoteChange() async throws {
    try await PostgreSQLStack.with { @MainActor stack in
      let one = try stack.container()
      let other = try stack.container(notifies: true)
      let notifications = NotificationCenter.default.notifications(
        named: .NSPersistentStoreRemoteChange,
        object: other.persistentStoreCoordinator
      )
      let waiting = Task { for await _ in notifications { return } }
      stack.add("Ajax", wins: 1, to: one.viewContext)
      // The watch connects in the background, so saves go on until one of them is noticed.
      let saves = Task { @MainActor in
        var number = 1
        while !Task.isCancelled {
          number += 1
          stack.add("Team \(number)", wins: number, to: one.viewContext)
          try one.viewContext.save()
          await Task.yield()
        }
      }
      await waiting.value
      saves.cancel()
      try await saves.value
    }
  }
}
#endif
