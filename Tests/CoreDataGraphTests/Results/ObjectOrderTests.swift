// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate

/// How objects sort, and how their sections are named.
struct ObjectOrderTests {
  final class Companion {}

  let entity: EntityDefinition
  let registry: ObjectRegistry
  let modelObject = Companion()

  init() throws {
    var draft = EntityDraft(name: "Team")
    draft.properties = [
      PropertyDraft(name: "name", kind: .attribute(AttributeDefinition(type: .string))),
      PropertyDraft(name: "score", kind: .attribute(AttributeDefinition(type: .double))),
      PropertyDraft(name: "wins", kind: .attribute(AttributeDefinition(type: .integer32))),
    ]
    var model = ModelDraft()
    model.entities = [draft]
    let definition = try ModelDefinition(model)
    entity = definition.entities[0]
    registry = ObjectRegistry(model: definition, modelObject: modelObject, owner: nil)
  }

  func object(_ number: Int64, _ values: [String: Value], isNew: Bool = false) throws -> GraphObject
  {
    let key =
      isNew
      ? ObjectKey.temporary(entity: 0, number: number)
      : try #require(ObjectKey(store: 0, entity: 0, number: number))
    let object = GraphObject(registry: registry, key: key, flags: [])
    let chunk = RowChunk(layout: entity.rowLayout, capacity: 1)
    let row = chunk.appendRow()
    for (name, value) in values {
      chunk.setValue(row, try #require(entity.slotByName[name]), value)
    }
    object.point(at: chunk, row: row)
    return object
  }

  func order(_ keys: SortKey...) -> ObjectOrder {
    ObjectOrder(keys, entity: entity, realize: { _ in }, value: value)
  }

  func value(_ object: GraphObject, _ path: String) -> Value {
    guard let chunk = object.chunk, let slot = entity.slotByName[path] else { return .null }
    return chunk.value(object.rowIndex, slot)
  }

  @Test("Numbers and texts compare in their slots as their values do, null first")
  func slots() throws {
    let objects = try [
      object(1, ["name": .text("b"), "wins": .int(-3), "score": .double(0.5)]),
      object(2, ["name": .text("B"), "wins": .int(12)]),
      object(3, ["name": .text("ä"), "score": .double(-1)]),
      object(4, ["name": .text("ba"), "wins": .int(-3), "score": .double(1e9)]),
      object(5, [:]),
    ]
    for name in ["name", "wins", "score"] {
      for ascending in [true, false] {
        let key = SortKey(name, ascending: ascending)
        let order = order(key)
        for left in objects {
          for right in objects {
            let expected = key.compare(value(left, name), value(right, name))
            let found = order.compare(left, right)
            if expected != 0 { #expect(found.signum() == expected.signum(), "\(name)") }
            #expect(found == -order.compare(right, left))
            #expect((found == 0) == (left === right))
          }
        }
      }
    }
  }

  @Test("Leads never say otherwise than comparisons, and tell most objects of a section apart")
  func leads() throws {
    var objects: [GraphObject] = []
    let texts = [nil, "", "a", "ab", "abcd", "abcde", "abce", "ä", "日本"]
    let numbers: [Int64?] = [nil, 0, -1, 1, 5, Int64(Int32.max), Int64(Int32.min), .max, .min]
    let scores = [nil, 0.0, -0.0, 1, -1, 1e300, -1e300, 1.000001, .infinity]
    for (index, text) in texts.enumerated() {
      for (place, number) in numbers.enumerated() {
        var values: [String: Value] = [:]
        values["name"] = text.map { .text($0) }
        values["wins"] = number.map { .int($0) }
        values["score"] = scores[(index + place) % scores.count].map { .double($0) }
        objects.append(try object(Int64(objects.count + 1), values))
      }
    }
    for path in [nil, "name", "wins", "score"] {
      for paths in [["name", "wins"], ["wins", "name"], ["score", "wins"], ["wins", "score"]] {
        for sign in 0..<4 {
          let order = ObjectOrder(
            paths.enumerated().map { SortKey($1, ascending: sign >> $0 & 1 == 0) },
            entity: entity,
            realize: { _ in },
            value: value
          )
          let lead = try #require(order.lead(sectionedBy: path))
          let names = path.map { SectionNames($0, entity: entity, realize: { _ in }, value: value) }
          var told = 0
          for left in objects {
            for right in objects where names?.name(of: left) == names?.name(of: right) {
              if lead(left) < lead(right) {
                told += 1
                guard order.compare(left, right) < 0 else {
                  Issue.record("\(left.key) and \(right.key) by \(paths), \(path ?? "-")")
                  return
                }
              }
            }
          }
          #expect(told > 20)
        }
      }
    }
    #expect(order(SortKey("name", comparison: .caseInsensitive)).lead(sectionedBy: nil) == nil)
  }

  @Test("Later keys decide between equals, then the number, new objects last")
  func ties() throws {
    let first = try object(7, ["wins": .int(1), "name": .text("x")])
    let second = try object(3, ["wins": .int(1), "name": .text("y")])
    let third = try object(1, ["wins": .int(1), "name": .text("y")], isNew: true)
    let order = order(SortKey("wins"), SortKey("name", ascending: false))
    #expect([first, third, second].sorted { order.compare($0, $1) < 0 } == [second, third, first])
  }

  @Test("Comparisons that slots cannot answer go by value")
  func values() throws {
    let lower = try object(1, ["name": .text("bob")])
    let upper = try object(2, ["name": .text("Carl")])
    #expect(order(SortKey("name")).compare(lower, upper) > 0)
    let insensitive = order(SortKey("name", comparison: .caseInsensitive))
    #expect(insensitive.compare(lower, upper) < 0)
    let descending = order(SortKey("name", ascending: false, comparison: .caseInsensitive))
    #expect(descending.compare(lower, upper) > 0)
  }

  @Test("Sections are named by the value as text")
  func names() throws {
    func names(_ path: String) -> SectionNames {
      SectionNames(path, entity: entity, realize: { _ in }, value: value)
    }
    let object = try object(1, ["name": .text("Asia"), "wins": .int(12), "score": .double(1.5)])
    #expect(names("name").name(of: object) == "Asia")
    #expect(names("wins").name(of: object) == "12")
    #expect(names("score").name(of: object) == "1.5")
    let empty = try self.object(2, [:])
    #expect(names("name").name(of: empty) == "")
    #expect(names("wins").name(of: empty) == "")
    #expect(SectionNames.name(of: .bool(true)) == "1")
    #expect(SectionNames.name(of: .double(2)) == "2")
  }
}
