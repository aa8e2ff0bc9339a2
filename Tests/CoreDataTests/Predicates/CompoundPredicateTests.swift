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
    #expect(made.description == parsed.canonicalFormat)
    #expect(made == parsed && parsed == made)
    #expect(made.hash == parsed.hash)
    let other = NSCompoundPredicate(orPredicateWithSubpredicates: [first, second])
    #expect(made != other)
    #expect(
      NSCompoundPredicate(notPredicateWithSubpredicate: first).description == "NOT wins > 3"
    )
    #expect(NSCompoundPredicate(type: .or, subpredicates: []).evaluate(with: 1) == false)
    #expect(NSCompoundPredicate(type: .and, subpredicates: []).evaluate(with: 1))
  }

  @Test func `The members stay the predicates that were given`() {
    let block = NSPredicate { _, _ in true }
    let made = NSCompoundPredicate(type: .or, subpredicates: [first, block])
    #expect(made.subpredicates.count == 2)
    #expect(made.subpredicates[1] === block)
    #expect(made.compoundPredicateType == .or)
    #expect(made == NSCompoundPredicate(type: .or, subpredicates: [first, block]))
    #expect(
      made != NSCompoundPredicate(type: .or, subpredicates: [first, NSPredicate { _, _ in true }])
    )
  }

  @Test func `Foundation's own compounds print through canonicalFormat`() {
    let own: NSCompoundPredicate = .init(andPredicateWithSubpredicates: [first, second])
    #expect(own.canonicalFormat == "wins > 3 AND name == \"Ann\"")
    #expect(NSPredicate(format: "wins > 3 AND name == 'Ann'") == own)
    #expect(own.evaluate(with: ["wins": 4, "name": "Ann"]))
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
