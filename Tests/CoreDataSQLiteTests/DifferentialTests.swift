// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

/// Random conditions: SQL must find exactly the rows for which evaluation in memory says true.
@Suite("SQL and memory agree")
struct DifferentialTests {
  /// An object in memory with the values that were stored.
  final class Object: KeyedObject {
    let objectKey: ObjectKey?
    var values: [String: Value]
    init(_ key: ObjectKey, _ values: [String: Value]) {
      objectKey = key
      self.values = values
    }
    func keyedValue(_ key: String) throws -> Value {
      guard let value = values[key] else { throw UnknownKey(key: key, owner: "object") }
      return value
    }
  }

  struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
    mutating func pick<T>(_ choices: [T]) -> T { choices[Int(next() % UInt64(choices.count))] }
    mutating func chance(_ percent: UInt64) -> Bool { next() % 100 < percent }
  }

  static let texts = [
    "", "a", "A", "ab", "Äb", "straße", "abc", "Abc", "b%", "a_c", "x'y", "testą",
  ]

  /// Teams, players and coaches with many nils.
  final class World {
    let fixture: StoreFixture
    var teams: [Object] = []
    var people: [Object] = []
    var tags: [Object] = []

    init(_ random: inout Random) throws {
      fixture = try StoreFixture(Models.league)
      var batch = SaveBatch()
      for label in ["a", "Ab", "c"] {
        batch.inserts.append(try fixture.insertion("Tag", ["label": .text(label)]))
      }
      for index in 0..<12 {
        var values: [String: Value] = ["name": .text("\(random.pick(texts))\(index)")]
        if random.chance(20) { values["name"] = nil }
        if random.chance(70) { values["wins"] = .int(Int64(random.next() % 5)) }
        if random.chance(70) { values["founded"] = .date(Double(random.next() % 4)) }
        batch.inserts.append(try fixture.insertion("Team", values))
      }
      let teamInserts = batch.inserts[3...]
      for _ in 0..<30 {
        var values: [String: Value] = [:]
        if random.chance(80) { values["name"] = .text(random.pick(texts)) }
        if random.chance(80) { values["age"] = .int(Int64(random.next() % 4)) }
        if random.chance(70) { values["team"] = .key(random.pick(Array(teamInserts)).key) }
        let isPlayer = random.chance(60)
        if isPlayer, random.chance(70) { values["number"] = .int(Int64(random.next() % 3)) }
        batch.inserts.append(try fixture.insertion(isPlayer ? "Player" : "Coach", values))
      }
      let tagSlot = try fixture.slot("Team", "tags")
      var pairs: [(Int, Int)] = []
      for team in 0..<12 {
        for tag in 0..<3 where random.chance(30) { pairs.append((team, tag)) }
      }
      batch.links = pairs.map { team, tag in
        .init(
          owner: batch.inserts[3 + team].key,
          slot: tagSlot,
          added: [batch.inserts[tag].key],
          removed: []
        )
      }
      let keys = try fixture.store.save(batch).insertedKeys
      var objects: [ObjectKey: Object] = [:]
      for (insert, key) in zip(batch.inserts, keys) {
        var values: [String: Value] = [:]
        for property in fixture.model.entities[key.entity].properties {
          values[property.name] =
            property.isStored ? insert.chunk.value(0, property.slot) : Value.null
        }
        objects[insert.key] = Object(key, values)
      }
      let all = batch.inserts.compactMap { objects[$0.key] }
      tags = Array(all[..<3])
      teams = Array(all[3..<15])
      people = Array(all[15...])
      for person in people {
        if case .key(let key)? = person.values["team"], let team = objects[key] {
          person.values["team"] = .object(team)
        }
      }
      for team in teams {
        let players = people.filter {
          if case .object(let other)? = $0.values["team"] { other === team } else { false }
        }
        team.values["players"] = .collection(
          ValueCollection(.orderedSet, players.map(Value.object))
        )
      }
      for (index, team) in teams.enumerated() {
        let mine = pairs.filter { $0.0 == index }.map { Value.object(tags[$0.1]) }
        team.values["tags"] = .collection(ValueCollection(.set, mine))
      }
    }
  }

  // MARK: Conditions

  private struct Maker {
    var random: Random
    let world: World

    mutating func text() -> Term {
      .constant(Constant(random.chance(10) ? .null : .text(random.pick(DifferentialTests.texts))))
    }
    mutating func number() -> Term {
      .constant(
        Constant(
          random.chance(10)
            ? .null
            : random.chance(20)
              ? .double(Double(random.next() % 8) / 2) : .int(Int64(random.next() % 5))
        )
      )
    }
    mutating func options() -> TextOptions {
      random.pick([
        [], [.caseInsensitive], [.diacriticInsensitive], [.caseInsensitive, .diacriticInsensitive],
      ])
    }
    let orders: [Relation] = [
      .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual,
    ]
    let textRelations: [Relation] = [.contains, .beginsWith, .endsWith, .like]

    mutating func onText(_ path: String, _ modifier: Comparison.Modifier = .direct) -> Condition {
      let relation = random.pick(textRelations + orders + [.in])
      let right: Term
      if relation == .in {
        let count = random.chance(20) ? 40 : Int(random.next() % 4)
        right = .aggregate((0..<count).map { _ in text() })
      } else {
        right = text()
      }
      return .comparison(
        Comparison(
          .keyPath(path),
          relation,
          right,
          modifier: modifier,
          options: relation == .in ? [] : options()
        )
      )
    }

    mutating func onNumber(_ path: String, _ modifier: Comparison.Modifier = .direct) -> Condition {
      if random.chance(15) {
        let (low, high) = (number(), number())
        return .comparison(
          Comparison(.keyPath(path), .between, .aggregate([low, high]), modifier: modifier)
        )
      }
      if random.chance(15) {
        let count = Int(random.next() % 30)
        return .comparison(
          Comparison(
            .keyPath(path),
            .in,
            .aggregate((0..<count).map { _ in number() }),
            modifier: modifier
          )
        )
      }
      return .comparison(
        Comparison(.keyPath(path), random.pick(orders), number(), modifier: modifier)
      )
    }

    mutating func leaf(team: Bool) -> Condition {
      if team {
        switch random.next() % 9 {
        case 0: return onText("name")
        case 1: return onNumber("wins")
        case 2:
          return .comparison(
            Comparison(
              .keyPath("founded"),
              random.pick(orders),
              .constant(Constant(.date(Double(random.next() % 4))))
            )
          )
        case 3: return onText("players.name", random.pick([.any, .all]))
        case 4: return onNumber("players.age", random.pick([.any, .all]))
        case 5: return onText("tags.label", random.pick([.any, .all]))
        case 6:
          return .comparison(
            Comparison(
              .keyPath("players.@count"),
              random.pick(orders),
              .constant(Constant(.int(Int64(random.next() % 4))))
            )
          )
        case 7:
          return .comparison(
            Comparison(
              .keyPath("tags"),
              .contains,
              .constant(Constant(.object(random.pick(world.tags))))
            )
          )
        default:
          return .comparison(
            Comparison(
              .evaluatedObject,
              .in,
              .aggregate([
                .constant(Constant(.object(random.pick(world.teams)))),
                .constant(Constant(.object(random.pick(world.teams)))),
              ])
            )
          )
        }
      }
      switch random.next() % 8 {
      case 0: return onText("name")
      case 1: return onNumber("age")
      case 2: return onText("team.name")
      case 3: return onNumber("team.wins")
      case 4:
        return .comparison(
          Comparison(
            .keyPath("team"),
            random.pick([.equal, .notEqual]),
            .constant(Constant(random.chance(30) ? .null : .object(random.pick(world.teams))))
          )
        )
      case 5:
        return .comparison(Comparison(.keyPath("age"), random.pick(orders), .keyPath("team.wins")))
      case 6: return onText("team.tags.label", .any)
      default:
        return .comparison(Comparison(.keyPath("name"), random.pick(orders), .keyPath("team.name")))
      }
    }

    mutating func condition(team: Bool, depth: Int) -> Condition {
      if depth == 0 || random.chance(40) { return leaf(team: team) }
      switch random.next() % 3 {
      case 0: return .not(condition(team: team, depth: depth - 1))
      case 1:
        return .and([
          condition(team: team, depth: depth - 1), condition(team: team, depth: depth - 1),
        ])
      default:
        return .or([
          condition(team: team, depth: depth - 1), condition(team: team, depth: depth - 1),
        ])
      }
    }
  }

  @Test("Random conditions find the same rows", arguments: [1, 2, 3, 4] as [UInt64])
  func conditions(seed: UInt64) throws {
    var random = Random(state: seed)
    let world = try World(&random)
    var maker = Maker(random: random, world: world)
    var compared = 0
    for _ in 0..<600 {
      let isTeam = maker.random.chance(50)
      let condition = maker.condition(team: isTeam, depth: 3)
      let objects = isTeam ? world.teams : world.people
      let expected: [Int64]
      do {
        expected = try objects.filter { try condition.evaluate(with: .object($0)) }
          .compactMap { $0.objectKey?.number }
      } catch {
        continue
      }
      compared += 1
      let found = try world.fixture.keys(isTeam ? "Team" : "Person", condition)
      #expect(
        found.sorted() == expected.sorted(),
        "\(condition.format): \(found.sorted()) not \(expected.sorted())"
      )
    }
    #expect(compared > 300)
  }
}
