// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Documented behaviour of NSExpression.
@Suite struct ExpressionTests {
  @Test func `Expressions tell their parts`() {
    let best = NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "wins")])
    #expect(best.expressionType == .function)
    #expect(best.function == "max:")
    #expect(best.arguments?.first?.keyPath == "wins")
    #expect(best.description == "max(wins)")
    #expect(NSExpression(forConstantValue: nil).constantValue == nil)
    #expect(NSExpression(forVariable: "x").variable == "x")
    #expect(NSExpression.expressionForEvaluatedObject().expressionType == .evaluatedObject)
  }

  @Test func `Expressions have values`() {
    let row: [String: Any] = ["wins": [1, 2, 6], "name": "Ann"]
    let sum = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "wins")])
    #expect(sum.expressionValue(with: row, context: nil) as? Int == 9)
    let upper = NSExpression(format: "uppercase(name)")
    #expect(upper.expressionValue(with: row, context: nil) as? String == "ANN")
    let block = NSExpression(
      block: { _, values, _ in (values[0] as? Int ?? 0) + 1 },
      arguments: [NSExpression(forConstantValue: 41)]
    )
    #expect(block.expressionValue(with: nil, context: nil) as? Int == 42)
    let context: NSMutableDictionary = ["x": 2]
    #expect(
      NSExpression(format: "$x * 3").expressionValue(with: nil, context: context) as? Int == 6
    )
    let conditional = NSExpression(
      forConditional: NSPredicate(format: "name == 'Ann'"),
      trueExpression: NSExpression(forConstantValue: "yes"),
      falseExpression: NSExpression(forConstantValue: "no")
    )
    #expect(conditional.expressionValue(with: row, context: nil) as? String == "yes")
    #expect(conditional.true.constantValue as? String == "yes")
  }

  @Test func `Comparisons are built from expressions`() {
    let predicate = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "wins"),
      rightExpression: NSExpression(forConstantValue: [1, 5]),
      modifier: .any,
      type: .in
    )
    #expect(predicate.evaluate(with: ["wins": [5, 9]]))
    #expect(predicate.description == "ANY wins IN {1, 5}")
    let text = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "name"),
      rightExpression: NSExpression(forConstantValue: "AN"),
      modifier: .direct,
      type: .beginsWith,
      options: [.caseInsensitive, .diacriticInsensitive]
    )
    #expect(text.evaluate(with: ["name": "änne"]))
    #expect(text == NSPredicate(format: "name BEGINSWITH[cd] 'AN'"))
  }

  @Test func `An unknown function stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = NSExpression(forFunction: "launch:", arguments: [1])
    }
  }
}

private final class Doubled: NSExpression, @unchecked Sendable {
  let key: String
  init(_ key: String) {
    self.key = key
    super.init(expressionType: .block)
  }
  required init?(coder: NSCoder) { nil }
  override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    ((object as? [String: Any])?[key] as? Int).map { $0 * 2 }
  }
}

/// Expressions of every type.
@Suite struct ExpressionTypeTests {
  @Test func `A block expression tells its block and its arguments`() {
    let expression = NSExpression(
      block: { object, values, context in "\(object ?? "-")\(values)\(context?["x"] ?? "")" },
      arguments: [NSExpression(forConstantValue: 1)]
    )
    #expect(expression.expressionType == .block)
    #expect(expression.arguments?.count == 1)
    #expect(expression.expressionBlock("a", [2], nil) as? String == "a[2]")
    #expect(expression.expressionValue(with: "o", context: ["x": "!"]) as? String == "o[1]!")
  }

  @Test func `A subclass evaluates itself inside other expressions and predicates`() {
    let sum = NSExpression(forFunction: "add:to:", arguments: [Doubled("n"), 1])
    #expect(sum.expressionValue(with: ["n": 4], context: nil) as? Int == 9)
    #expect(NSPredicate(format: "%@ > 6", argumentArray: [Doubled("n")]).evaluate(with: ["n": 4]))
    #expect(sum.arguments?.first is Doubled)
  }

  @Test func `Assigned variables are put into the context`() {
    let context: NSMutableDictionary = ["x": 2]
    let value = NSExpression(format: "$y := $x * 3").expressionValue(with: nil, context: context)
    #expect(value as? Int == 6)
    #expect(context["y"] as? Int == 6)
  }

  @Test func `A fetch request expression gives the results or their number`() throws {
    let stack = try LibraryStack()
    for pages in [1, 5, 9] { _ = stack.make("Book", ["pages": pages]) }
    try stack.context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "pages > 3")
    func expression(_ countOnly: Bool) -> NSExpression {
      NSFetchRequestExpression.expression(
        forFetch: NSExpression(forConstantValue: request),
        context: NSExpression(forConstantValue: stack.context),
        countOnly: countOnly
      )
    }
    #expect(expression(true).expressionValue(with: nil, context: nil) as? Int == 2)
    let found = expression(false).expressionValue(with: nil, context: nil) as? [NSManagedObject]
    #expect(found?.count == 2)
    let fetch = try #require(expression(true) as? NSFetchRequestExpression)
    #expect(fetch.isCountOnlyRequest)
    #expect(fetch.expressionType == NSFetchRequestExpressionType)
    #expect(fetch.requestExpression.constantValue as? NSObject === request)
    #expect(fetch.contextExpression.constantValue as? NSObject === stack.context)
    #expect(fetch.description.hasPrefix("FETCH("))
  }

  @Test func `A property that the kind has not stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = NSExpression(forVariable: "x").constantValue }
    await #expect(processExitsWith: .failure) { _ = NSExpression(forVariable: "x").expressionBlock }
    await #expect(processExitsWith: .failure) {
      _ = NSExpression(expressionType: .block).expressionValue(with: nil, context: nil)
    }
  }
}
