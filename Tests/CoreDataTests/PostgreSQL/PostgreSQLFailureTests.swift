// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing
import _CoreDataPostgres

/// What fails in a database, and the error that a save of a context gets.
struct DatabaseDamage: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The statements of another program, and those that take them back.
  let damage: String
  let repair: String
  let code: Int
  /// What the error must contain.
  let texts: [String]
  /// The SQLSTATE of the server.
  let state: String

  static let all = [
    DatabaseDamage(
      testDescription: "a dropped column",
      damage: #"ALTER TABLE "Team" RENAME COLUMN "wins" TO other"#,
      repair: #"ALTER TABLE "Team" RENAME COLUMN other TO "wins""#,
      code: CocoaError.fileReadCorruptFile.rawValue,
      texts: ["another program has changed it", "wins"],
      state: "42703"
    ),
    DatabaseDamage(
      testDescription: "a dropped table",
      damage: #"ALTER TABLE "Team" RENAME TO other"#,
      repair: #"ALTER TABLE other RENAME TO "Team""#,
      code: CocoaError.fileReadCorruptFile.rawValue,
      texts: ["another program has changed it", "Team"],
      state: "42P01"
    ),
    DatabaseDamage(
      testDescription: "a column of another type",
      damage: #"ALTER TABLE "Team" ALTER COLUMN "wins" TYPE uuid USING NULL"#,
      repair: #"ALTER TABLE "Team" ALTER COLUMN "wins" TYPE bigint USING NULL"#,
      code: CocoaError.fileReadCorruptFile.rawValue,
      texts: ["another program has changed it", "wins"],
      state: "42804"
    ),
    DatabaseDamage(
      testDescription: "a value out of the range of its column",
      damage: #"ALTER TABLE "Team" ALTER COLUMN "wins" TYPE smallint"#,
      repair: #"ALTER TABLE "Team" ALTER COLUMN "wins" TYPE bigint"#,
      code: NSPersistentStoreUnsupportedRequestTypeError,
      texts: ["out of the range of its column", "smallint"],
      state: "22003"
    ),
    DatabaseDamage(
      testDescription: "a rule of another program",
      damage: #"ALTER TABLE "Team" ADD CONSTRAINT few CHECK ("wins" < 10)"#,
      repair: #"ALTER TABLE "Team" DROP CONSTRAINT few"#,
      code: NSPersistentStoreUnsupportedRequestTypeError,
      texts: ["a rule that the model does not have", "few"],
      state: "23514"
    ),
    DatabaseDamage(
      testDescription: "a full disk",
      damage: """
        CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION \
        'could not extend file "base/1": No space left on device' USING ERRCODE = '53100'; END$$; \
        CREATE TRIGGER full_disk BEFORE INSERT ON "Team" EXECUTE FUNCTION full_disk()
        """,
      repair: #"DROP TRIGGER full_disk ON "Team"; DROP FUNCTION full_disk()"#,
      code: CocoaError.fileWriteUnknown.rawValue,
      texts: ["the disk of the PostgreSQL server is full", "No space left on device"],
      state: "53100"
    ),
  ]
}

@Suite(
  "Failures of a PostgreSQL database",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
@MainActor
struct PostgreSQLFailureTests {
  private func connection(_ stack: PostgreSQLStack) throws -> PostgresConnection {
    try PostgresConnection(PostgresAddress(stack.address, schema: stack.schema))
  }

  /// Checks that a save fails with an error, and that the context has the same changes as before.
  private func expectFailure(
    _ context: NSManagedObjectContext,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> NSError {
    let (inserted, updated, deleted) = (
      context.insertedObjects, context.updatedObjects, context.deletedObjects
    )
    let error = #expect(throws: NSError.self, sourceLocation: sourceLocation) { try context.save() }
    #expect(context.insertedObjects == inserted, sourceLocation: sourceLocation)
    #expect(context.updatedObjects == updated, sourceLocation: sourceLocation)
    #expect(context.deletedObjects == deleted, sourceLocation: sourceLocation)
    #expect(
      inserted.allSatisfy {
        $0.objectID.isTemporaryID && $0.value(forKey: "wins") as? Int == 70_000
      },
      sourceLocation: sourceLocation
    )
    return try #require(error)
  }

  @Test("A save says what is wrong, and succeeds after the repair", arguments: DatabaseDamage.all)
  func damaged(_ damage: DatabaseDamage) throws {
    try PostgreSQLStack.with { stack in
      let context = try stack.container().viewContext
      let kept = stack.add("kept", wins: 1, to: context)
      let deleted = stack.add("deleted", wins: 2, to: context)
      try context.save()
      let other = try connection(stack)
      try other.execute(damage.damage)
      stack.add("new", wins: 70_000, to: context)
      kept.setValue("changed", forKey: "name")
      context.delete(deleted)
      let error = try expectFailure(context)
      #expect(error.code == damage.code, "\(error)")
      let reason = "\(error.localizedDescription) \(error.localizedFailureReason ?? "")"
      for text in damage.texts { #expect(reason.contains(text), "\(reason)") }
      #expect(error.userInfo["SQLSTATE"] as? String == damage.state, "\(error.userInfo)")
      #expect(!"\(error.userInfo)".contains("only-for-tests"))
      try other.execute(damage.repair)
      try context.save()
      let names = try stack.teams(stack.container().viewContext)
        .map { $0.value(forKey: "name") as? String }
      #expect(names == ["changed", "new"])
    }
  }

  @Test("Without a free connection, a save is an error, and succeeds when there is one")
  func connectionLimit() throws {
    try PostgreSQLStack.with { stack in
      let role = "role_" + UUID().uuidString.lowercased().replacing("-", with: "")
      let owner = try connection(stack)
      try owner.execute(
        "CREATE ROLE \(role) LOGIN PASSWORD 'only-for-tests'; GRANT CREATE ON DATABASE postgres TO \(role); ALTER ROLE \(role) CONNECTION LIMIT 1"
      )
      var limited = stack
      limited.address = stack.address.replacing("//coredata:", with: "//\(role):")
      try {
        let container = try limited.container()
        let context = container.viewContext
        limited.add("one", wins: 70_000, to: context)
        let refused = #expect(throws: NSError.self) { try limited.container() }
        #expect(refused?.code == NSPersistentStoreTimeoutError, "\(refused as Any)")
        #expect(refused?.localizedFailureReason?.contains("too many connections") == true)
        // The place of the store's only connection is taken by another program.
        try owner.execute(
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '\(role)'"
        )
        var other: PostgresConnection? = try PostgresConnection(
          PostgresAddress(limited.address, schema: stack.schema)
        )
        let error = try expectFailure(context)
        #expect(error.code == NSPersistentStoreTimeoutError, "\(error)")
        #expect(error.localizedFailureReason?.contains("too many connections") == true, "\(error)")
        #expect(other?.isOpen == true)
        other = nil
        try waitUntilFree(owner, role)
        try context.save()
        for store in container.persistentStoreCoordinator.persistentStores {
          try container.persistentStoreCoordinator.remove(store)
        }
      }()
      try waitUntilFree(owner, role)
      try owner.execute("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)")
    }
  }

  /// Waits, on the server, until a role has no connection.
  private func waitUntilFree(_ owner: PostgresConnection, _ role: String) throws {
    try owner.execute(
      """
      DO $$ BEGIN FOR attempt IN 1..500 LOOP PERFORM pg_stat_clear_snapshot(); \
      EXIT WHEN NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE usename = '\(role)'); \
      PERFORM pg_sleep(0.01); END LOOP; END $$
      """
    )
  }

  @Test("A server that does not run is named when the store is added")
  func noServer() throws {
    try PostgreSQLStack.with { stack in
      var other = stack
      other.address = "postgresql://someone:secret-word@127.0.0.1:1/postgres"
      let error = #expect(throws: NSError.self) { try other.container() }
      #expect(error?.code == NSPersistentStoreOpenError)
      let text = "\(error?.userInfo ?? [:])"
      #expect(text.contains("cannot be reached") && text.contains("127.0.0.1"))
      #expect(!text.contains("secret-word"))
    }
  }
}
#endif
