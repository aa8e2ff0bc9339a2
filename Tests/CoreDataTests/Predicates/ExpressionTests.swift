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
