// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

@Suite("SQLite store, rows that the engine hands over")
struct CollectedRowsTests {
  /// An entity with a sub-entity, and one with more columns than one call takes.
  private static var model: ModelDraft {
    var model = ModelDraft()
    model.entities = [
      Models.entity(
        "Place",
        [
          Models.attribute("name", .string), Models.attribute("height", .double),
          Models.attribute("photo", .binaryData), Models.attribute("price", .decimal),
          Models.toOne("capital", "City", inverse: nil),
        ]
      ),
      Models.entity("City", parent: "Place", [Models.attribute("people", .integer64)]),
      Models.entity("Wide", (0..<130).map { Models.attribute("a\($0)", .integer64) }),
    ]
    return model
  }

  /// 1,300 places, every third a city, with nulls, zeros and empty texts among the values.
  private static func fixture() throws -> StoreFixture {
    let fixture = try StoreFixture(model)
    var batch = SaveBatch()
    for number in 0..<1_300 {
      var values: [String: Value] = [:]
      if number % 5 > 0 { values["name"] = .text(number % 5 == 1 ? "" : "place \(number)") }
      if number % 7 > 0 { values["height"] = .double(Double(number % 7 - 1)) }
      if number % 4 > 0 { values["photo"] = .data(Data(repeating: 7, count: number % 4 - 1)) }
      if number % 9 > 0 { values["price"] = .decimal(Decimal(number % 9 - 1)) }
      if number % 3 == 0 { values["people"] = .int(Int64(number % 2)) }
      batch.inserts.append(try fixture.insertion(number % 3 == 0 ? "City" : "Place", values))
    }
    _ = try fixture.store.save(batch)
    return fixture
  }

  /// The texts of the statements that `body` starts.
  private func texts(_ fixture: StoreFixture, _ body: () throws -> Void) throws -> [String] {
    let started = StartedStatements()
    fixture.observer.setOnStart { started.add($0) }
    defer { fixture.observer.setOnStart(nil) }
    try body()
    return started.all
  }

  private func contents(_ rows: [(key: ObjectKey, values: [String: Value])]) -> [[String]] {
    rows.map { row in row.values.map { "\($0.key): \($0.value)" }.sorted() }
  }

  /// Whether each text calls the aggregate that receives rows.
  private func collects(_ texts: [String]) -> [Bool] {
    texts.map { $0.hasPrefix("SELECT \(RowCollection.function)(") }
  }

  @Test("One call a row where no order is wanted; the rows are those that steps give")
  func sameRows() throws {
    let fixture = try Self.fixture()
    for entity in ["Place", "City"] {
      var description = try fixture.description(entity)
      var collected: [(key: ObjectKey, values: [String: Value])] = []
      let call = try texts(fixture) { collected = try fixture.rows(description) }
      description.limit = 5_000
      var stepped: [(key: ObjectKey, values: [String: Value])] = []
      let steps = try texts(fixture) { stepped = try fixture.rows(description) }
      #expect(collects(call) == [true] && collects(steps) == [false])
      #expect(collected.count == (entity == "City" ? 434 : 1_300))
      #expect(collected.map(\.key) == stepped.map(\.key))
      #expect(contents(collected) == contents(stepped))
    }
  }

  @Test("Keys alone are handed over too, each as one of its own entity")
  func keys() throws {
    let fixture = try Self.fixture()
    var description = try fixture.description("Place")
    description.shape = .keys
    var keys: [ObjectKey] = []
    let call = try texts(fixture) {
      if case .keys(let found) = try fixture.store.fetch(description) { keys = found }
    }
    #expect(collects(call) == [true])
    let city = try fixture.index("City")
    #expect(keys.map(\.number).sorted() == Array(1...1_300))
    #expect(keys.allSatisfy { ($0.entity == city) == ($0.number % 3 == 1) })
    description.order = [SortKey("height")]
    #expect(collects(try texts(fixture) { _ = try fixture.store.fetch(description) }) == [false])
  }

  @Test("More columns than a call takes are read step by step")
  func wide() throws {
    let fixture = try StoreFixture(Self.model)
    try fixture.insert("Wide", ["a0": .int(1), "a129": .int(2)])
    let description = try fixture.description("Wide")
    var rows: [(key: ObjectKey, values: [String: Value])] = []
    let statements = try texts(fixture) { rows = try fixture.rows(description) }
    #expect(collects(statements) == [false])
    #expect(contents(rows) == [["a0: int(1)", "a129: int(2)"]])
  }

  @Test("A number that no row can have ends the statement; the next one is whole")
  func damaged() throws {
    let fixture = try Self.fixture()
    let other = try RawConnection(fixture.path)
    try other.run("UPDATE ZPLACE SET Z_ENT = 77 WHERE Z_PK = 900")
    var description = try fixture.description("Place")
    for shape in [FetchDescription.ResultForm.rows, .keys] {
      description.shape = shape
      let error = #expect(throws: StoreError.self) { try fixture.store.fetch(description) }
      #expect(error?.code == .corrupt)
    }
    try other.run("UPDATE ZPLACE SET Z_ENT = 1, Z_PK = -5 WHERE Z_PK = 900")
    description.includesSubentities = false
    #expect(throws: StoreError.self) { try fixture.store.fetch(description) }
    try other.run("DELETE FROM ZPLACE WHERE Z_PK < 0")
    #expect(try fixture.rows(try fixture.description("Place")).count == 1_299)
  }

  @Test("A cancelled fetch ends between two rows of a call")
  func cancelled() throws {
    let fixture = try Self.fixture()
    var description = try fixture.description("Place")
    description.control = FetchControl()
    description.control?.cancel()
    let error = #expect(throws: StoreError.self) { try fixture.store.fetch(description) }
    #expect(error?.code == .cancelled)
  }
}

/// Statement texts in the order of their start.
private final class StartedStatements: Sendable {
  private let texts = Mutex<[String]>([])
  var all: [String] { texts.withLock { $0 } }
  func add(_ text: String) { texts.withLock { $0.append(text) } }
}
