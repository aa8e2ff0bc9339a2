// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Declarations of other people's packages beside this library's: that they compile, and which one is meant.
@Suite struct PortedDeclarationTests {
  @Test("A program's own autoreleasepool and notifications(named:) are the ones that it calls")
  func ownStandIns() {
    #expect(autoreleasepool { 3 } == "own 3")
    let name = Notification.Name("own")
    #expect(NotificationCenter.default.notifications(named: name) == "own")
  }

  @Test("A column without a result type has the type of its value", arguments: Self.stores)
  func undefinedType(_ store: String) throws {
    let stack = try LibraryStack(store)
    _ = stack.make("Book", ["title": "Momo", "pages": 3])
    _ = stack.make("Book", ["title": "Momo", "pages": 4])
    try stack.context.save()
    let count = NSExpressionDescription()
    count.name = "count"
    count.expression = NSExpression(format: "count:(pages)")
    let least = NSExpressionDescription()
    least.name = "least"
    least.expression = NSExpression(format: "min:(title)")
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToGroupBy = ["title"]
    request.propertiesToFetch = ["title", count, least]
    let rows = try stack.context.fetch(request)
    #expect(rows.first?["count"] as? Int == 2)
    #expect(rows.first?["least"] as? String == "Momo")
    #expect(rows as? [[String: String]] == nil, "a count is a number")
  }

  private static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]
}

/// A stand-in as other packages declare it.
private func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> String {
  "own \(try body())"
}

extension NotificationCenter {
  fileprivate func notifications(named name: Notification.Name) -> String { name.rawValue }
}
