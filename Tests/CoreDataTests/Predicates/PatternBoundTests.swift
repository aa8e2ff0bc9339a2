// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Regular expressions whose steps grow beyond all bounds.
@Suite struct PatternBoundTests {
  private static let text = String(repeating: "a", count: 40) + "b"

  private static func error(_ type: String, _ format: String) throws -> String {
    let stack = try LibraryStack(type)
    _ = stack.make("Book", ["title": text])
    try stack.context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: format)
    do {
      return "\(try stack.context.fetch(request).count) found"
    } catch {
      return "\((error as NSError).code) \(error.localizedDescription)"
    }
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func `A pattern that needs too many steps is an error that names it`(_ type: String) throws {
    let error = try Self.error(type, "title MATCHES '(a+)+$'")
    #expect(error.hasPrefix("134091"), "\(error)")
    #expect(error.contains("the pattern (a+)+$ needs too many steps for a text of 41 characters"))
    #expect(try Self.error(type, "title MATCHES 'a+b'") == "1 found")
    #expect(try Self.error(type, "title MATCHES 'a+'") == "0 found")
  }

  @Test func `A pattern without room for its way back is an error, not the lack of a match`() throws
  {
    let long = String(repeating: "ab", count: 500_000)
    let condition = NSPredicate(format: "SELF MATCHES '(a|b)*'")
    #expect(condition.evaluate(with: String(long.prefix(1_000))))
    let stack = try LibraryStack()
    _ = stack.make("Book", ["title": long])
    try stack.context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title MATCHES '(a|b)*'")
    #expect(throws: (any Error).self) { try stack.context.fetch(request) }
    request.predicate = NSPredicate(format: "title MATCHES '[ab]*'")
    #expect(try stack.context.count(for: request) == 1)
  }

  /// Returns the error of saving a tag whose name is `name`, after `rule` was given to the attribute.
  private static func refusal(
    _ name: String,
    _ rule: (NSAttributeDescription) -> Void
  ) throws -> NSError? {
    let model = Library.model()
    rule(try #require(model.entitiesByName["Tag"]?.attributesByName["name"]))
    let stack = try LibraryStack(NSInMemoryStoreType, model: model)
    let tag = stack.make("Tag", ["name": name])
    do {
      try stack.context.save()
    } catch {
      #expect((error as NSError).userInfo[NSValidationObjectErrorKey] as? NSManagedObject === tag)
      #expect((error as NSError).userInfo[NSValidationKeyErrorKey] as? String == "name")
      return error as NSError
    }
    return nil
  }

  @Test(arguments: ["(a+)+$", "[a-"])
  func `An attribute's pattern that cannot be checked refuses the value with the reason`(
    _ pattern: String
  ) throws {
    let error = try Self.refusal(Self.text) { $0.pattern = pattern }
    #expect(error?.code == NSValidationStringPatternMatchingError)
    let text = error?.localizedDescription ?? ""
    #expect(text.contains("“name” of Tag") && text.contains(pattern), "\(text)")
    #expect(try Self.refusal(Self.text) { $0.pattern = "a+b" } == nil)
    #expect(
      try Self.refusal(Self.text) { $0.pattern = "a+" }?.localizedDescription
        == "name does not match its pattern."
    )
  }

  @Test(arguments: [false, true])
  func `A validation predicate that cannot be evaluated refuses the value with the reason`(
    _ isCompound: Bool
  ) throws {
    let slow = NSPredicate(format: "SELF MATCHES '(a+)+$'")
    let long = NSPredicate(format: "SELF != 'a'")
    let rule = isCompound ? NSCompoundPredicate(andPredicateWithSubpredicates: [long, slow]) : slow
    let error = try Self.refusal(Self.text) {
      $0.setValidationPredicates([rule], withValidationWarnings: ["Too plain."])
    }
    #expect(error?.code == NSManagedObjectValidationError)
    #expect(error?.localizedDescription.contains("the pattern (a+)+$ needs too many steps") == true)
    let refused = try Self.refusal("a") {
      $0.setValidationPredicates([rule], withValidationWarnings: ["Too plain."])
    }
    #expect(refused?.localizedDescription == (isCompound ? "Too plain." : nil))
  }
}
