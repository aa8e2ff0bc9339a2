// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Values of every type come into a store by a batch as they come by objects that are saved.
@Suite struct BatchValueLawTests {
  /// What each item has, by its link, which names it.
  private func picture(_ stack: LibraryStack) throws -> [String] {
    try stack.reread("Item").map { item in
      let values = item.entity.attributesByName.keys.sorted().map { name in
        "\(name): \(item.value(forKey: name).map { "\(type(of: $0)) \($0)" } ?? "nil")"
      }
      let owner = (item.value(forKey: "owner") as? NSManagedObject)?.text("name") ?? "nil"
      return "\(item.entity.name ?? "") \(values) \(owner)"
    }.sorted()
  }

  private func items(_ count: Int, _ random: inout RandomSteps) -> [[String: Any]] {
    (0..<count).map { number in
      var values = Catalogue.values(&random)
      values["link"] = URL(string: "item:\(number)")
      if random.below(5) == 0 { values["medium"] = NSNull() }
      return values
    }
  }

  private func set(_ values: [String: Any], on object: NSManagedObject) {
    for (key, value) in values { object.setValue(value is NSNull ? nil : value, forKey: key) }
  }

  @Test func theWaysOfABatchInsertLeaveWhatSavedObjectsLeave() throws {
    for seed in lawSeeds(4) {
      var random = RandomSteps(state: seed)
      let rows = items(70 + random.below(80), &random)
      let entity = random.below(2) == 0 ? "Item" : "Part"
      let objects = try LibraryStack(model: Catalogue.model())
      for row in rows { set(row, on: objects.make(entity)) }
      try objects.context.save()
      let expected = try picture(objects)
      var next = 0
      let requests = [
        NSBatchInsertRequest(entityName: entity, objects: rows),
        NSBatchInsertRequest(
          entityName: entity,
          dictionaryHandler: { row in
            if next == rows.count { return true }
            row.addEntries(from: rows[next])
            next += 1
            return false
          }
        ),
        NSBatchInsertRequest(
          entityName: entity,
          managedObjectHandler: { object in
            if next == rows.count { return true }
            set(rows[next], on: object)
            next += 1
            return false
          }
        ),
      ]
      for request in requests {
        next = 0
        let stack = try LibraryStack(model: Catalogue.model())
        request.resultType = .count
        let result = try stack.context.execute(request) as? NSBatchInsertResult
        #expect(result?.result as? Int == rows.count)
        #expect(try picture(stack) == expected, "seed \(seed)")
      }
    }
  }

  @Test func aBatchUpdateOfConstantsLeavesWhatSavedObjectsLeave() throws {
    for seed in lawSeeds(4) {
      var random = RandomSteps(state: seed &+ 100)
      let rows = items(30, &random)
      let stacks = [
        try LibraryStack(model: Catalogue.model()), try LibraryStack(model: Catalogue.model()),
      ]
      for stack in stacks {
        _ = try stack.insert("Item", rows)
        for name in ["x", "y"] { _ = stack.make("Owner", ["name": name]) }
        try stack.context.save()
      }
      for _ in 0..<8 {
        let values = Catalogue.values(&random).filter { $0.key != "link" }
        let chosen = values.keys.sorted().filter { _ in random.below(3) == 0 } + ["small"]
        let isNil = random.below(4) == 0
        let owner = ["x", "y", nil][random.below(3)]
        let condition = NSPredicate(
          format: ["TRUEPREDICATE", "real > 0", "owner.name == 'x'", "text == 'a'"][random.below(4)]
        )
        var assigned: [AnyHashable: Any] = [:]
        for key in chosen { assigned[key] = isNil ? NSNull() : values[key] ?? NSNull() }
        let fetch = NSFetchRequest<NSManagedObject>(entityName: "Item")
        fetch.predicate = condition
        let found = try stacks[1].context.fetch(fetch)
        let owners = NSFetchRequest<NSManagedObject>(entityName: "Owner")
        owners.predicate = NSPredicate(format: "name == %@", owner ?? "")
        for object in found {
          for key in chosen { object.setValue(isNil ? nil : values[key], forKey: key) }
          object.setValue(try stacks[1].context.fetch(owners).first, forKey: "owner")
        }
        try stacks[1].context.save()
        assigned["owner"] = try stacks[0].context.fetch(owners).first?.objectID ?? NSNull()
        let count = try stacks[0].update("Item", assigned, where: condition)
        #expect(count as? Int == found.count, "seed \(seed)")
        let (left, right) = (try picture(stacks[0]), try picture(stacks[1]))
        try #require(left == right, "seed \(seed): \(assigned.keys) where \(condition)")
      }
    }
  }
}
