// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

private final class Patience: NSPredicate {
  init() { super.init(value: false) }
  override func evaluate(with object: Any?, substitutionVariables: [String: Any]?) -> Bool {
    (object as? [String: Any])?["wins"] as? Int == 7
  }
  override func evaluate(with object: Any?) -> Bool {
    evaluate(with: object, substitutionVariables: nil)
  }
}

/// Documented behaviour of NSCompoundPredicate.
@Suite struct CompoundPredicateTests {
  private let first = NSPredicate(format: "wins > 3")
  private let second = NSPredicate(format: "name == 'Ann'")

  @Test func `A compound made in code prints as the parsed one, and is equal to it both ways`() {
    let made = NSCompoundPredicate(andPredicateWithSubpredicates: [first, second])
    let parsed = NSPredicate(format: "wins > 3 AND name == 'Ann'")
    #expect(made.canonicalFormat == "wins > 3 AND name == \"Ann\"")
    #expect("\(made)" == parsed.canonicalFormat)
    #expect(String(describing: made) == parsed.canonicalFormat)
    let isSame = made == parsed && parsed == made && parsed.isEqual(made)
    #expect(isSame)
    let other = NSCompoundPredicate(orPredicateWithSubpredicates: [first, second])
    let isDifferent = made != other && other != parsed && !parsed.isEqual(other)
    #expect(isDifferent)
    #expect(
      NSCompoundPredicate(notPredicateWithSubpredicate: first).canonicalFormat == "NOT wins > 3"
    )
    #expect(NSCompoundPredicate(type: .or, subpredicates: []).evaluate(with: 1) == false)
    #expect(NSCompoundPredicate(type: .and, subpredicates: []).evaluate(with: 1))
  }

  @Test func `Trees with the same block are equal`() {
    let block = NSPredicate { _, _ in true }
    let made = NSCompoundPredicate(type: .or, subpredicates: [first, block])
    let isSame = made == NSPredicate(format: "wins > 3 OR %@", argumentArray: [block])
    #expect(isSame)
    let other = NSPredicate { _, _ in true }
    let isOther = made == NSCompoundPredicate(type: .or, subpredicates: [first, other])
    #expect(!isOther)
    let parsed = NSPredicate(format: "%@ OR wins > 3", argumentArray: [block])
    #expect((parsed as? NSCompoundPredicate)?.subpredicates.first === block)
  }

  @Test func `Blocks, constants and subclasses mix in one tree`() {
    let block = NSPredicate { object, variables in
      (object as? [String: Any])?["wins"] as? Int == variables?["n"] as? Int
    }
    let tree = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSCompoundPredicate(orPredicateWithSubpredicates: [block, Patience()]),
      NSPredicate(value: true), first,
    ])
    #expect(tree.evaluate(with: ["wins": 7]))
    #expect(tree.evaluate(with: ["wins": 5], substitutionVariables: ["n": 5]))
    #expect(!tree.evaluate(with: ["wins": 5], substitutionVariables: ["n": 6]))
    #expect(!tree.evaluate(with: ["wins": 1], substitutionVariables: ["n": 1]))
  }

  @Test func `A tree with blocks fetches from a store in memory`() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    for number in 0..<20 { _ = stack.make("Book", ["title": "b\(number)", "pages": number]) }
    try stack.context.save()
    let even = NSPredicate { object, _ in
      ((object as? NSManagedObject)?.value(forKey: "pages") as? Int ?? 1) % 2 == 0
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
      even, NSPredicate(format: "pages > 7"),
    ])
    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    let pages = try stack.context.fetch(request).compactMap { $0.value(forKey: "pages") as? Int }
    #expect(pages == [8, 10, 12, 14, 16, 18])
  }
}
