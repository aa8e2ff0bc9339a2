// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Groups, aggregates, having, order and window of dictionaries are what counting by hand gives.
@Suite struct GroupLawTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["COREDATA_LAW_ROUNDS"].flatMap(Int.init) ?? 60

  /// A group as counted by hand.
  private struct Group {
    var key: [String]
    var members: [[String: Any]]
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func groupsAreWhatCountingByHandGives(type: String) throws {
    for seed in 1...UInt64(Self.rounds / 20 + 1) {
      var random = RandomSteps(state: seed)
      let stack = try LibraryStack(type, model: Catalogue.model())
      let items = try fill(stack, &random)
      for _ in 0..<20 { try compare(items, in: stack, &random, "seed \(seed)") }
    }
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func distinctRowsAreThoseOfASet(type: String) throws {
    var random = RandomSteps(state: 77)
    let stack = try LibraryStack(type, model: Catalogue.model())
    let items = try fill(stack, &random)
    let keys = ["small", "real", "exact", "flag", "text", "date", "id", "link", "owner.name"]
    for _ in 0..<Self.rounds {
      let columns = Set((0...random.below(3)).map { _ in keys[random.below(keys.count)] }).sorted()
      let request = NSFetchRequest<NSDictionary>(entityName: "Item")
      request.resultType = .dictionaryResultType
      request.returnsDistinctResults = true
      request.propertiesToFetch = columns
      let rows = try stack.context.fetch(request).map { row in columns.map { Self.text(row[$0]) } }
      let expected = Set(items.map { item in columns.map { Self.text(item[$0]) } })
      #expect(rows.count == expected.count && Set(rows) == expected, "\(columns)")
    }
  }

  /// Items as they were saved, with the name of the owner where there is one.
  private func fill(_ stack: LibraryStack, _ random: inout RandomSteps) throws -> [[String: Any]] {
    let owners = ["x", "y"].map { stack.make("Owner", ["name": $0]) }
    var items: [[String: Any]] = []
    for _ in 0..<random.below(30) {
      var values = Catalogue.values(&random)
      for key in ["file", "object", "bytes"] { values[key] = nil }
      let item = stack.make(random.below(3) == 0 ? "Part" : "Item", values)
      if values["medium"] == nil { values["medium"] = 7 }
      if random.below(3) > 0 {
        let owner = owners[random.below(2)]
        item.setValue(owner, forKey: "owner")
        values["owner.name"] = owner.value(forKey: "name")
      }
      items.append(values)
    }
    try stack.context.save()
    // What is unsaved does not count in dictionaries.
    for _ in 0..<3 { _ = stack.make("Item", Catalogue.values(&random)) }
    return items
  }

  private static func text(_ value: Any?) -> String {
    switch value {
    case nil: "-"
    // The last digits depend on the order of summing.
    case let number as NSNumber: "\((number.doubleValue * 1e6).rounded() / 1e6)"
    case let text as String: "\(Array(text.utf8))"
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    case let value?: "\(value)"
    }
  }

  private func compare(
    _ items: [[String: Any]],
    in stack: LibraryStack,
    _ random: inout RandomSteps,
    _ place: String
  ) throws {
    let keys = ["small", "real", "exact", "flag", "text", "date", "id", "link", "owner.name"]
    let by = Set((0...random.below(2)).map { _ in keys[random.below(keys.count)] }).sorted()
    let least = random.below(3)
    let function = ["sum:", "average:", "min:", "max:", "count:"][random.below(5)]
    let argument = Catalogue.numbers[random.below(Catalogue.numbers.count)]
    let request = NSFetchRequest<NSDictionary>(entityName: "Item")
    request.resultType = .dictionaryResultType
    let count = Shelf.column("count", NSExpression(format: "count:(medium)"))
    let value = Shelf.column(
      "value",
      NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: argument)])
    )
    request.propertiesToFetch = by + [count, value]
    request.propertiesToGroupBy = by
    let having = [
      "count:(medium) > %d", "count > %d", "$count > %d AND max:(medium) != nil",
      "NOT (count:(medium) <= %d)",
    ][random.below(4)]
    if random.below(2) == 0 { request.havingPredicate = NSPredicate(format: having, least) }
    var chosen = items
    if random.below(3) == 0 {
      request.predicate = NSPredicate(format: "real < 0.5")
      chosen = items.filter { ($0["real"] as? Double).map { $0 < 0.5 } ?? false }
    }
    let rows = try stack.context.fetch(request).map { row in
      (by + ["count", "value"]).map { Self.text(row[$0]) }.joined(separator: " ")
    }
    var groups: [Group] = []
    for item in chosen {
      let key = by.map { Self.text(item[$0]) }
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].members.append(item)
      } else {
        groups.append(Group(key: key, members: [item]))
      }
    }
    let kept = groups.filter { request.havingPredicate == nil || $0.members.count > least }
    let expected = kept.map { group in
      let result = Self.text(Self.value(function, argument, group.members))
      return (group.key + ["\(Double(group.members.count))", result]).joined(separator: " ")
    }
    try #require(
      rows.sorted() == expected.sorted(),
      "\(place): \(function)\(argument) by \(by), \(request.havingPredicate == nil ? "" : having)"
    )
    try compareWindow(request, of: rows.count, in: stack, &random)
  }

  /// Sorted by the groups, a window is a part of the whole.
  private func compareWindow(
    _ request: NSFetchRequest<NSDictionary>,
    of count: Int,
    in stack: LibraryStack,
    _ random: inout RandomSteps
  ) throws {
    let by = request.propertiesToGroupBy as? [String] ?? []
    request.sortDescriptors = by.map {
      NSSortDescriptor(key: $0, ascending: random.below(2) == 0)
    }
    let whole = try stack.context.fetch(request)
    #expect(whole.count == count)
    request.fetchOffset = random.below(3)
    request.fetchLimit = random.below(4)
    let rest = whole.dropFirst(request.fetchOffset)
    let expected = Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
    #expect(try stack.context.fetch(request) == expected)
  }

  private static func value(_ function: String, _ key: String, _ items: [[String: Any]]) -> Any? {
    let numbers = items.compactMap { $0[key] as? NSNumber }.map(\.doubleValue)
    if function == "count:" { return numbers.count }
    if numbers.isEmpty { return nil }
    // Sums of these multiples of small fractions are exact, but for decimals.
    let sum = numbers.reduce(0, +)
    switch function {
    case "sum:": return key == "exact" ? decimalSum(items, key) : sum
    case "average:":
      return (key == "exact" ? decimalSum(items, key).doubleValue : sum) / Double(numbers.count)
    // A decimal that is not a number follows all numbers.
    case "min:": return numbers.filter { !$0.isNaN }.min() ?? Double.nan
    default: return numbers.contains(where: \.isNaN) ? Double.nan : numbers.max()
    }
  }

  private static func decimalSum(_ items: [[String: Any]], _ key: String) -> NSNumber {
    items.compactMap { $0[key] as? NSDecimalNumber }.reduce(NSDecimalNumber.zero) { $0.adding($1) }
  }
}
