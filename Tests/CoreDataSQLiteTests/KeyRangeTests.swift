// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQLite
import _CoreDataStore

/// Rows and members that are read by many keys: consecutive ones as a range, others as a list.
@Suite("SQLite store, consecutive keys")
struct KeyRangeTests {
  private static let count = 300

  /// The statements that a store has started.
  private final class Texts: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  private let fixture: StoreFixture
  private let teams: [ObjectKey]

  /// Team n has the players 3n to 3n + 2, the last one first; every fifth team has none.
  init() throws {
    let fixture = try StoreFixture(Models.league)
    var batch = SaveBatch()
    batch.inserts = try (0..<Self.count).map { number in
      try fixture.insertion("Team", ["name": .text("team \(number)"), "wins": .int(Int64(number))])
    }
    let teams = try fixture.store.save(batch).insertedKeys
    batch = SaveBatch()
    batch.inserts = try (0..<3 * Self.count).filter { $0 / 3 % 5 != 0 }.reversed().map { number in
      try fixture.insertion(
        "Player",
        ["name": .text("player \(number)"), "team": .key(teams[number / 3])]
      )
    }
    _ = try fixture.store.save(batch)
    self.fixture = fixture
    self.teams = teams
  }

  private func texts(_ body: () throws -> Void) rethrows -> [String] {
    let texts = Texts()
    fixture.observer.setOnStart { texts.add($0) }
    defer { fixture.observer.setOnStart(nil) }
    try body()
    return texts.all
  }

  /// Reads the teams at these positions in three ways, checks the results, and returns the statements of the rows.
  private func read(_ places: [Int]) throws -> [String] {
    let keys = places.map { teams[$0] }
    let statements = try texts {
      let rows = fixture.contents(try fixture.store.rows(for: keys))
      let expected = Set(places).map { (teams[$0], Value.int(Int64($0))) }
      #expect(rows.count == expected.count)
      for (key, wins) in expected {
        let read = rows.first { $0.key == key }?.values["wins"]
        #expect(read.map(Constant.init) == Constant(wins))
      }
    }
    let slot = try fixture.slot("Team", "players")
    let (name, team) = (try fixture.slot("Player", "name"), try fixture.slot("Player", "team"))
    let related = try fixture.store.related(to: keys, slot: slot)
    var players: [ObjectKey: (name: String, team: ObjectKey)] = [:]
    related.rows.forEach { key, chunk, row in
      players[key] = (chunk.text(row, name), chunk.key(row, team))
    }
    #expect(try fixture.store.members(of: keys, slot: slot) == related.members)
    for (place, members) in zip(places, related.members) {
      let numbers = place % 5 == 0 ? [] : [2, 1, 0].map { 3 * place + $0 }
      #expect(Set(members.map { players[$0]?.name }) == Set(numbers.map { "player \($0)" }))
      #expect(members.allSatisfy { players[$0]?.team == teams[place] })
    }
    return statements
  }

  private func isRange(_ text: String) -> Bool { text.contains("BETWEEN ? AND ?") }

  @Test("Consecutive keys are read by one range, and a few gaps by several")
  func ranges() throws {
    let whole = try read(Array(0..<Self.count))
    #expect(whole.count == 1 && whole.allSatisfy(isRange))
    let gaps = try read(Array(0..<Self.count).filter { $0 != 70 && $0 != 200 })
    #expect(gaps.count == 3 && gaps.allSatisfy(isRange))
    let two = try read([4, 5])
    #expect(two.count == 1 && two.allSatisfy(isRange))
  }

  @Test("Keys with many gaps, in another order, or twice are read as a list")
  func lists() throws {
    for places in [
      Array(stride(from: 0, to: Self.count, by: 2)), Array((0..<Self.count).reversed()),
      Array(0..<100) + [99], [3, 4, 5, 7, 8], Array(50..<150) + Array(0..<50),
    ] {
      let statements = try read(places)
      #expect(statements.count == 1 && !statements.contains(where: isRange))
    }
    #expect(try read([7]).count == 1)
  }

  @Test("Rows between the keys that were deleted are left out")
  func deleted() throws {
    try RawConnection(fixture.path).run("DELETE FROM ZTEAM WHERE Z_PK % 3 = 0")
    let rows = fixture.contents(try fixture.store.rows(for: teams))
    #expect(Set(rows.map(\.key)) == Set(teams.filter { $0.number % 3 != 0 }))
  }
}
