// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing
import _CoreDataPostgres

@Suite(
  "Fetch indexes and uniqueness constraints in PostgreSQL stores",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
@MainActor
struct PostgreSQLIndexTests {
  private static let contents = """
    <model>
      <entity name="Person">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="email" optional="YES" attributeType="String"/>
        <attribute name="number" optional="YES" attributeType="Integer 64"/>
        <attribute name="age" optional="YES" attributeType="Integer 64"/>
        <fetchIndex name="byName">
          <fetchIndexElement property="name" type="Binary" order="descending"/>
        </fetchIndex>
        <fetchIndex name="byLength">
          <fetchIndexElement expression="length:(name)" type="Binary" order="ascending"/>
        </fetchIndex>
        <fetchIndex name="grown" partialIndexPredicate="age &gt;= 18 AND name != 'it''s'">
          <fetchIndexElement property="age" type="Binary" order="ascending"/>
        </fetchIndex>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="email"/></uniquenessConstraint>
          <uniquenessConstraint><constraint value="number"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
    </model>
    """

  private func model() throws -> NSManagedObjectModel {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).contents")
    try Data(Self.contents.replacing("it''s", with: "its").utf8).write(to: file)
    defer {
      #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) }
    }
    return try #require(NSManagedObjectModel(contentsOf: file))
  }

  @Test("Indexes of columns, of expressions, and with conditions are created")
  func indexes() throws {
    try PostgreSQLStack.with { stack in
      _ = try stack.container(model())
      let connection = try PostgresConnection(
        PostgresAddress(stack.address, schema: stack.schema)
      )
      let rows = try connection.run(
        "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'Person' "
          + "ORDER BY 1"
      )
      let all = (0..<rows.rowCount).compactMap { rows.text($0, 0) }
      let parts = all.map { $0.components(separatedBy: "USING btree ").last ?? "" }.sorted()
      #expect(parts.contains("(name DESC NULLS LAST)"), "\(parts)")
      #expect(
        parts.contains { $0.contains("WHERE") && $0.contains("18") && $0.contains("its") },
        "\(parts)"
      )
      #expect(parts.contains { $0.contains("length") }, "\(parts)")
      #expect(all.count { $0.contains("UNIQUE") } == 3, "\(all)")
    }
  }

  @Test("A batch insert overwrites the row that any of several constraints finds")
  func severalConstraints() throws {
    try PostgreSQLStack.with { stack in
      let context = try stack.container(model()).viewContext
      func insert(_ objects: [[String: Any]], _ policy: NSMergePolicy) throws -> Int {
        context.mergePolicy = policy
        let request = NSBatchInsertRequest(entityName: "Person", objects: objects)
        request.resultType = .count
        let result = try context.execute(request) as? NSBatchInsertResult
        return try #require(result?.result as? Int)
      }
      func people() throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        context.reset()
        return try context.fetch(request).map { person in
          ["name", "email", "number", "age"].map { key in
            person.value(forKey: key).map { "\($0)" } ?? "-"
          }.joined(separator: " ")
        }
      }
      let first: [[String: Any]] = [
        ["name": "Ann", "email": "a", "number": 1, "age": 30],
        ["name": "Bob", "email": "b", "number": 2, "age": 40],
      ]
      #expect(try insert(first, .error) == 2)
      let again: [[String: Any]] = [
        ["name": "Anna", "email": "a", "number": 3],
        ["name": "Rob", "email": "c", "number": 2],
        ["name": "Cid", "email": "d", "number": 4],
        ["name": "Sid", "email": "d", "number": 4, "age": 5],
      ]
      #expect(try insert(again, .mergeByPropertyObjectTrump) == 4)
      #expect(try people() == ["Rob c 2 40", "Anna a 3 30", "Sid d 4 5"])
      #expect(
        try insert([["name": "Zed", "email": "z", "number": 4]], .mergeByPropertyStoreTrump) == 0
      )
      #expect(try insert([["name": "Zed", "email": "z", "number": 4]], .overwrite) == 1)
      #expect(try people() == ["Rob c 2 40", "Anna a 3 30", "Zed z 4 -"])
      // The email finds the first row, and the number belongs to another one.
      let error = #expect(throws: NSError.self) {
        try insert([["name": "?", "email": "a", "number": 2]], .overwrite)
      }
      #expect(error?.code == NSManagedObjectConstraintMergeError, "\(error as Any)")
      #expect(try people() == ["Rob c 2 40", "Anna a 3 30", "Zed z 4 -"])
    }
  }
}
#endif
