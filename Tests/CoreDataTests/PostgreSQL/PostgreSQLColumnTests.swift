// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing

@Suite(
  "Columns with functions in PostgreSQL stores",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
struct PostgreSQLColumnTests {
  private static let attributes: [(name: String, type: NSAttributeType)] = [
    ("small", .integer16AttributeType), ("whole", .integer64AttributeType),
    ("real", .doubleAttributeType),
  ]

  private static func model() -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Figure"
    entity.properties = attributes.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  private static var rows: [[String: Any]] {
    [
      ["small": -3, "whole": -3, "real": -2.5],
      ["small": 3, "whole": 3, "real": 2.5],
      ["small": -32_768, "whole": Int64.min, "real": -0.0],
      ["small": 0, "whole": Int64.max, "real": -1e300],
      [:],
    ]
  }

  private func fill(_ context: NSManagedObjectContext) throws {
    for row in Self.rows {
      NSEntityDescription.insertNewObject(forEntityName: "Figure", into: context)
        .setValuesForKeys(row)
    }
    try context.save()
  }

  private func context(_ type: NSPersistentStore.StoreType) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
    try coordinator.addPersistentStore(type: type, at: URL(fileURLWithPath: "/dev/null"))
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Returns the values of a column as texts, sorted.
  private func values(
    _ context: NSManagedObjectContext,
    _ expression: String,
    isDistinct: Bool
  ) throws -> [String] {
    let column = NSExpressionDescription()
    column.name = "value"
    column.expression = NSExpression(format: expression)
    let request = NSFetchRequest<NSDictionary>(entityName: "Figure")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [column]
    request.returnsDistinctResults = isDistinct
    return try context.performAndWait {
      try context.fetch(request).map { $0["value"].map { "\($0)" } ?? "nil" }.sorted()
    }
  }

  @Test(
    "abs: has the values that it has in SQLite and in memory",
    arguments: [
      "small", "whole", "real", "whole - 4", "small * -2", "abs:(whole)", "real + small",
    ]
  )
  func absolute(_ argument: String) throws {
    try PostgreSQLStack.with { stack in
      let server = try stack.container(Self.model()).newBackgroundContext()
      let others = try [context(.sqlite), context(.inMemory)]
      for context in [server] + others { try context.performAndWait { try fill(context) } }
      for isDistinct in [false, true] {
        let found = try ([server] + others).map {
          try values($0, "abs:(\(argument))", isDistinct: isDistinct)
        }
        #expect(found[0] == found[1], "SQLite, \(isDistinct)")
        #expect(found[0] == found[2], "memory, \(isDistinct)")
      }
    }
  }
}
#endif
