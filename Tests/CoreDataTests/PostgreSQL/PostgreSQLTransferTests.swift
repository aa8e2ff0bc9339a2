// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing
import _CoreDataStore

@Suite(
  "Stores that move to a PostgreSQL database and back",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
struct PostgreSQLTransferTests {
  private func options(_ schema: String) -> [AnyHashable: Any] { [PostgreSQLSchemaOption: schema] }

  @Test("SQLite to PostgreSQL, to SQLite, to PostgreSQL, to XML: every object stays equal")
  func aroundTheWorld() throws {
    try PostgreSQLStack.with { stack in
      try TransferredShop.with { shop in
        let database = try #require(URL(string: stack.address))
        let first = try TransferredShop.coordinator()
        var store = try first.addPersistentStore(type: .sqlite, at: shop.url("first.sqlite"))
        first.setMetadata(["motto": "fairness"], for: store)
        try TransferredShop.fill(first)
        let original = try TransferredShop.coordinator()
          .addPersistentStore(type: .sqlite, at: shop.url("first.sqlite"))
        let steps: [(NSPersistentStore.StoreType, URL, [AnyHashable: Any]?)] = [
          (.postgreSQL, database, options(stack.schema)),
          (.sqlite, shop.url("second.sqlite"), nil),
          (.postgreSQL, database, options(stack.schema)),
          (.inMemory, URL(fileURLWithPath: "/dev/null"), nil),
          (.postgreSQL, database, options(stack.schema)),
          (.xml, shop.url("third.xml"), nil),
        ]
        for (type, url, options) in steps {
          let former = store
          store = try first.migratePersistentStore(store, to: url, options: options, type: type)
          #expect(store.type == type.rawValue)
          #expect(first.persistentStores == [store] && former.uuid != store.uuid)
          #expect(first.metadata(for: store)["motto"] as? String == "fairness")
          try TransferredShop.expectEqual(original, store)
        }
      }
    }
  }

  @Test("A context goes on in the new store, and new objects get numbers that were never assigned")
  func goingOn() throws {
    try PostgreSQLStack.with { stack in
      try TransferredShop.with { shop in
        let database = try #require(URL(string: stack.address))
        let coordinator = try TransferredShop.coordinator()
        let file = try coordinator.addPersistentStore(type: .sqlite, at: shop.url("shop.sqlite"))
        try TransferredShop.fill(coordinator)
        let context = TransferredShop.context(coordinator)
        try context.performAndWait {
          let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
          request.predicate = NSPredicate(format: "name == 'tag 3'")
          let tag = try #require(context.fetch(request).first)
          let moved = try coordinator.migratePersistentStore(
            file,
            to: database,
            options: options(stack.schema),
            type: .postgreSQL
          )
          tag.setValue("renamed", forKey: "name")
          let new = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
          try context.save()
          #expect(tag.objectID.persistentStore === moved)
          // Five tags were saved, and one was deleted that had the sixth number.
          let name = new.objectID.uriRepresentation().lastPathComponent
          #expect(Int(name.dropFirst()).map { $0 > 6 } == true, "\(name)")
          #expect(throws: (any Error).self) { try file.rows.reserveKeys(for: [0]) }
        }
        let other = try TransferredShop.coordinator()
        try other.addPersistentStore(
          type: .postgreSQL,
          at: database,
          options: options(stack.schema)
        )
        let reader = TransferredShop.context(other)
        let count = try reader.performAndWait {
          let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
          request.predicate = NSPredicate(format: "name == 'renamed'")
          return try reader.count(for: request)
        }
        #expect(count == 1)
      }
    }
  }

  @Test("A text that PostgreSQL cannot hold stops the copy, and both places stay as they were")
  func zeroByte() throws {
    try PostgreSQLStack.with { stack in
      try TransferredShop.with { shop in
        let database = try #require(URL(string: stack.address))
        let coordinator = try TransferredShop.coordinator()
        let file = try coordinator.addPersistentStore(type: .sqlite, at: shop.url("shop.sqlite"))
        let context = TransferredShop.context(coordinator)
        try context.performAndWait {
          let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
          tag.setValue("a\0b", forKey: "name")
          try context.save()
        }
        let error = #expect(throws: (any Error).self) {
          try coordinator.migratePersistentStore(
            file,
            to: database,
            options: options(stack.schema),
            type: .postgreSQL
          )
        }
        #expect(error?.localizedDescription.contains("Tag.name contains a zero byte") == true)
        #expect(coordinator.persistentStores == [file])
        try context.performAndWait {
          _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
          try context.save()
        }
        #expect(throws: (any Error).self) {
          try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .postgreSQL,
            at: database,
            options: options(stack.schema)
          )
        }
      }
    }
  }

  @Test("A store replaces another one in another schema, with its UUID, metadata and history")
  func replace() throws {
    try PostgreSQLStack.with { stack in
      try PostgreSQLStack.with { other in
        let database = try #require(URL(string: stack.address))
        var tracking = options(stack.schema)
        tracking[NSPersistentHistoryTrackingKey] = true
        let source = try TransferredShop.coordinator()
        let original = try source.addPersistentStore(
          type: .postgreSQL,
          at: database,
          options: tracking
        )
        try TransferredShop.fill(source)
        source.setMetadata(["motto": "fairness"], for: original)
        let destination = try TransferredShop.coordinator()
        try destination.addPersistentStore(
          type: .postgreSQL,
          at: database,
          options: options(other.schema)
        )
        try destination.replacePersistentStore(
          at: database,
          destinationOptions: options(other.schema),
          withPersistentStoreFrom: database,
          sourceOptions: options(stack.schema),
          type: .postgreSQL
        )
        #expect(destination.persistentStores.isEmpty)
        tracking[PostgreSQLSchemaOption] = other.schema
        let again = try TransferredShop.coordinator()
        let copy = try again.addPersistentStore(type: .postgreSQL, at: database, options: tracking)
        try TransferredShop.expectEqual(original, copy)
        #expect(copy.uuid == original.uuid && copy.metadata?["motto"] as? String == "fairness")
        let context = TransferredShop.context(again)
        try context.performAndWait {
          func transactions() throws -> [NSPersistentHistoryTransaction] {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
              after: nil as NSPersistentHistoryToken?
            )
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
          }
          let before = try transactions()
          #expect(before.count == 3)
          _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
          try context.save()
          #expect(
            try transactions().map(\.transactionNumber) == before.map(\.transactionNumber) + [4]
          )
        }
      }
    }
  }

  @Test("The metadata of a store are written and read without opening it")
  func metadata() throws {
    try PostgreSQLStack.with { stack in
      let database = try #require(URL(string: stack.address))
      let options = options(stack.schema)
      #expect(throws: (any Error).self) {
        try NSPersistentStoreCoordinator.setMetadata(
          ["a": 1],
          type: .postgreSQL,
          at: database,
          options: options
        )
      }
      let store = try #require(
        stack.container().persistentStoreCoordinator.persistentStores.first
      )
      let uuid = try #require(store.metadata?[NSStoreUUIDKey] as? String)
      try NSPersistentStoreCoordinator.setMetadata(
        ["motto": "fairness", NSStoreUUIDKey: "other"],
        type: .postgreSQL,
        at: database,
        options: options
      )
      let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .postgreSQL,
        at: database,
        options: options
      )
      #expect(read["motto"] as? String == "fairness" && read[NSStoreUUIDKey] as? String == uuid)
      #expect(read[NSStoreTypeKey] as? String == "PostgreSQL")
    }
  }
}
#endif
