// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import PredicateCases
import Testing

/// The shared sort and expression cases on a SQLite store.
@Suite(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
struct SharedSortFetchTests {
  @Test func `A store gives the order that is known`() throws {
    let rows = try SharedCase.all("sort-cases.tsv") {
      ["both", "sqlite"].contains($0["engine"]) && $0["mode"] == "order"
    }
    #expect(rows.count == 23)
    for row in rows {
      let stack = try CaseStack(try dataSet(of: row.json("data").elements), known: [:])
      let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
      request.sortDescriptors = try row.json("descriptors").elements.map(descriptor)
      let ids = Dictionary(uniqueKeysWithValues: stack.objects.map { ($1.objectID, $0) })
      let context = stack.container.newBackgroundContext()
      let found = try context.fetch(request).compactMap { ids[$0.objectID] }
      #expect(fits(found, try row.json("expected").elements), "\(row.id) \(found)")
    }
  }

  /// Kinder than Apple, as DEVIATIONS.md says: what SQL cannot order is ordered in memory.
  @Test func `Orders that Apple refuses in a store are made in memory`() throws {
    let rows = try SharedCase.all("sort-cases.tsv") { $0["mode"] == "throws" }
    #expect(rows.map(\.id) == ["S104", "S106"])
    let stack = try LibraryStack()
    for title in ["b", "a", "c"] {
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: stack.context)
      book.setValue(title, forKey: "title")
    }
    try stack.context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = [
      NSSortDescriptor(key: "title", ascending: true) { left, right in
        String(describing: right).compare(String(describing: left))
      }
    ]
    let titles = try stack.context.fetch(request).map { $0.value(forKey: "title") as? String }
    #expect(titles == ["c", "b", "a"])
  }

  @Test func `Objects are ordered by a transient attribute as the context has it`() throws {
    let model = Library.model()
    let rank = NSAttributeDescription()
    rank.name = "rank"
    rank.attributeType = .integer64AttributeType
    rank.isOptional = true
    rank.isTransient = true
    let entity = try #require(model.entitiesByName["Tag"])
    entity.properties.append(rank)
    let stack = try LibraryStack(model: model)
    let tags = [2, 3, 1].map { rank in
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: stack.context)
      tag.setValue(rank, forKey: "rank")
      return tag
    }
    try stack.context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    request.sortDescriptors = [NSSortDescriptor(key: "rank", ascending: true)]
    request.fetchLimit = 2
    #expect(try stack.context.fetch(request) == [tags[2], tags[0]])
  }

  @Test func `Functions of a column are those that a store knows`() throws {
    let rows = try SharedCase.all("expressions.tsv") { $0["engine"] == "sqlite" }
    #expect(rows.count == 4)
    for row in rows {
      let ages = try row.json("args").elements.first?.elements ?? []
      let set = JSON.object([
        "entity": .text("Thing"),
        "rows": .array(ages.map { .object(["age": $0]) }),
      ])
      let stack = try CaseStack(set, known: [:])
      let column = NSExpressionDescription()
      column.name = "result"
      column.expression = NSExpression(
        forFunction: try row.json("expression").text ?? row.format,
        arguments: [NSExpression(forKeyPath: "age")]
      )
      let request = NSFetchRequest<NSDictionary>(entityName: "Thing")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [column]
      if case .int(let expected) = try row.json("expected") {
        let found = try stack.context.fetch(request).first?["result"] as? Int64
        #expect(found == expected, "\(row.id)")
      } else {
        #expect(throws: NSError.self, "\(row.id)") { try stack.context.fetch(request) }
      }
    }
  }

  /// Row P2512, which names no data set.
  @Test func `NONE over a many-to-many finds the objects without any`() throws {
    let set = JSON.object([
      "entity": .text("ManyA"),
      "rows": .array([
        .object(["$id": .text("with"), "manyBs": .object(["$refs": .array([.text("b")])])]),
        .object(["$id": .text("without")]),
      ]),
      "others": .object(["ManyB": .array([.object(["$id": .text("b"), "name": .text("b")])])]),
    ])
    let stack = try CaseStack(set, known: [:])
    #expect(try stack.found(NSPredicate(format: "NONE manyBs != nil")) == ["without"])
    #expect(try stack.found(NSPredicate(format: "manyBs.@count == 0")) == ["without"])
  }

  /// The rows as a data set; an object in a row becomes one of another entity.
  private func dataSet(of rows: [JSON]) -> JSON {
    var others: [String: [JSON]] = [:]
    let things = rows.enumerated().map { index, row -> JSON in
      guard case .object(var values) = row else { return row }
      values["$id"] = values.removeValue(forKey: "id") ?? .text("\(index)")
      for (key, value) in values where key != "$id" {
        guard case .object(var content) = value, !content.keys.contains(where: { $0.first == "$" })
        else { continue }
        let id = JSON.text("\(key)\(index)")
        content["$id"] = id
        others[key.capitalized, default: []].append(.object(content))
        values[key] = .object(["$ref": id])
      }
      return .object(values)
    }
    return .object([
      "entity": .text("Thing"),
      "rows": .array(things),
      "others": .object(others.mapValues { .array($0) }),
    ])
  }

  private func descriptor(_ json: JSON) -> NSSortDescriptor {
    NSSortDescriptor(
      key: json["key"]?.text,
      ascending: json["ascending"] != .bool(false),
      selector: json["selector"]?.text.map { Selector($0) }
    )
  }

  /// A step that is an array may come in any order within itself.
  private func fits(_ found: [String], _ steps: [JSON]) -> Bool {
    var rest = found[...]
    for step in steps {
      let group = step.elements.isEmpty ? [step] : step.elements
      let wanted = Set(group.compactMap(\.text))
      if Set(rest.prefix(group.count)) != wanted { return false }
      rest = rest.dropFirst(group.count)
    }
    return rest.isEmpty
  }
}
