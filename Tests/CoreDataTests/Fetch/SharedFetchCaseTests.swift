// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import PredicateCases
import Testing

/// The shared cases on a SQLite store.
@Suite(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
struct SharedFetchCaseTests {
  /// Rows whose answer differs from the known one, as DEVIATIONS.md says.
  private static let deviations: [String: String] = [
    "P2518": "TERNARY is said in SQL",
    "P2522": "an order against nil holds for nil alone, or never",
  ]

  private func predicate(_ row: SharedCase, _ stack: CaseStack) throws -> NSPredicate {
    let arguments = try row.json("args").elements.map(stack.any)
    return NSPredicate(format: row.format, argumentArray: arguments)
  }

  @Test func `Every row for a store has its known result`() throws {
    try compare(CaseStacks())
  }

  #if PostgreSQL
  @Test(
    .enabled(
      if: PostgreSQLStack.url != nil,
      "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
    )
  )
  func `Every row for a store has its known result on PostgreSQL`() throws {
    let text = try #require(PostgreSQLStack.url)
    let url = try #require(URL(string: text))
    var schemas: [String] = []
    let stacks = try CaseStacks { _ in
      let schema = "cases_" + UUID().uuidString.lowercased()
      schemas.append(schema)
      let description = NSPersistentStoreDescription(url: url)
      description.setOption(schema as NSString, forKey: PostgreSQLSchemaOption)
      return description
    }
    defer {
      let model = PostgreSQLStack.makeModel()
      for schema in schemas {
        #expect(throws: Never.self) {
          try NSPersistentStoreCoordinator(managedObjectModel: model).destroyPersistentStore(
            at: url,
            type: .postgreSQL,
            options: [PostgreSQLSchemaOption: schema]
          )
        }
      }
    }
    try compare(stacks)
  }
  #endif

  private func compare(_ stacks: CaseStacks) throws {
    let rows = try SharedCase.all("cases.tsv") {
      $0.targets.contains(.store) && ["count", "filter"].contains($0["kind"])
    }
    var run = 0
    var unusable: [String] = []
    for row in rows {
      let name = try row.json("object").text?.dropFirst().split(separator: "#").first ?? ""
      guard let stack = try stacks.stack(String(name)) else {
        unusable.append(row.id)
        continue
      }
      run += 1
      do {
        let found = try stack.found(try predicate(row, stack))
        let expected = try row.json("expected")
        if case .int(let count) = expected {
          #expect(found.count == Int(count), "\(row.id) \(row.format) \(name) \(found)")
        } else {
          let ids = Set(expected.elements.compactMap(\.text))
          #expect(Set(found) == ids, "\(row.id) \(row.format) \(name) \(found)")
        }
      } catch {
        Issue.record("\(row.id) \(row.format) \(name): \(error)")
      }
    }
    #expect(run == 520 && unusable.isEmpty, "\(run) run, \(unusable) unusable")
  }

  @Test func `What Apple refuses is refused, or listed as kinder`() throws {
    let stacks = try CaseStacks()
    var refused = 0
    for row in try SharedCase.all("cases.tsv", where: { $0["kind"] == "fetch-error" }) {
      // Functions of columns are programmed, not written.
      if row.format.hasPrefix("(") { continue }
      let name = try row.json("object").text?.dropFirst() ?? ""
      let stack = try #require(try stacks.stack(String(name)), "\(row.id)")
      if Self.deviations[row.id] != nil {
        #expect(throws: Never.self, "\(row.id)") { _ = try stack.found(predicate(row, stack)) }
      } else {
        refused += 1
        let error = #expect(throws: NSError.self, "\(row.id)") {
          _ = try stack.found(predicate(row, stack))
        }
        let reason = error?.localizedFailureReason ?? ""
        #expect(reason.contains("to-many key not allowed here"))
      }
    }
    #expect(refused == 1)
  }

  @Test func `What Apple answers is answered`() throws {
    let stacks = try CaseStacks()
    let rows = try SharedCase.all("cases.tsv") { $0["kind"] == "fetch-ok" }
    var run = 0
    for row in rows {
      guard let name = try row.json("object").text?.dropFirst(),
        let stack = try stacks.stack(String(name))
      else { continue }
      run += 1
      #expect(throws: Never.self, "\(row.id)") { _ = try stack.found(predicate(row, stack)) }
    }
    #expect(run == 1)
  }

  @Test func `The median and its like are no columns`() throws {
    let stack = try LibraryStack()
    for selector in ["median:", "mode:", "stddev:"] {
      let column = NSExpressionDescription()
      column.name = "value"
      column.expression = NSExpression(
        forFunction: selector,
        arguments: [NSExpression(forKeyPath: "pages")]
      )
      let request = NSFetchRequest<NSDictionary>(entityName: "Book")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [column]
      #expect(throws: NSError.self) { _ = try stack.context.fetch(request) }
    }
  }
}
