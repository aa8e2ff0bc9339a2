// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What a fetch says of keys that the entity does not have: FR-20, and the way out.
@Suite struct UnknownKeyTests {
  private func reason(_ stack: LibraryStack, _ format: String, _ entity: String = "Book") -> String
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(format: format)
    do {
      return "\(try stack.context.fetch(request).count) found"
    } catch {
      let error = error as NSError
      return "\(error.code) \(error.localizedDescription)"
    }
  }

  @Test func `The error names entity and key, and the nearest name`() throws {
    let stack = try LibraryStack()
    let error = reason(stack, "titel == 'a'")
    #expect(
      error.hasPrefix(
        "134091 The persistent store cannot execute the request: keypath titel not found in entity "
          + "<NSSQLEntity Book id="
      )
    )
    #expect(error.hasSuffix(">: Book has no property titel (did you mean title?)."))
    let below = reason(stack, "author.nmae == 'a'")
    #expect(below.contains("Author has no property nmae (did you mean name?"))
    #expect(
      reason(stack, "author.weight == 3").contains(
        "Author has no property weight; its properties are books, name"
      )
    )
    let memory = try LibraryStack(NSInMemoryStoreType)
    #expect(
      reason(memory, "titel == 'a'").contains(
        "keypath titel not found in entity Book: Book has no property titel (did you mean title?)"
      )
    )
  }

  @Test func `A prefetched path, a column and a result type that cannot be name the cause`() throws
  {
    let stack = try LibraryStack()
    _ = stack.make("Book")
    try stack.context.save()
    func error<T>(
      _ type: T.Type,
      _ change: (NSFetchRequest<T>) -> Void
    ) -> NSError? {
      let request = NSFetchRequest<T>(entityName: "Book")
      change(request)
      return #expect(throws: NSError.self) { try stack.context.fetch(request) }
    }
    let paths = [
      "author.titel": "because Author has no property “titel”.",
      "author.name": "because “name” of Author is not a relationship.",
      "author.": "because it contains an empty key.",
    ]
    for (path, cause) in paths {
      let found = error(NSManagedObject.self) { $0.relationshipKeyPathsForPrefetching = [path] }
      #expect(found?.localizedDescription.hasSuffix(cause) == true, "\(path)")
    }
    let columns: [(Any, String)] = [
      (5, "has a value of type Int in propertiesToFetch"), ("titel", "did you mean title?"),
    ]
    for (column, cause) in columns {
      let found = error(NSDictionary.self) {
        $0.resultType = .dictionaryResultType
        $0.propertiesToFetch = [column]
      }
      #expect(found?.localizedDescription.contains(cause) == true, "\(column)")
    }
    let form = error(NSManagedObject.self) { $0.resultType = .dictionaryResultType }
    #expect(form?.localizedFailureReason?.contains("NSFetchRequest<NSDictionary>") == true)
    let grouped = error(NSManagedObject.self) { $0.propertiesToGroupBy = ["title"] }
    #expect(
      grouped?.localizedDescription.contains("resultType is NSManagedObjectResultType") == true
    )
  }

  @Test func `A key of an attribute's value is refused, and the length has a function`() throws {
    let stack = try LibraryStack()
    let error = reason(stack, "title.length > 4")
    #expect(
      error.hasSuffix(
        "a store cannot follow keys after the attribute title of Book; use "
          + "length:(title) for the length of the string."
      )
    )
    let fromSelf = reason(stack, "SELF.title.length > 4")
    #expect(fromSelf.hasSuffix("length:(title) for the length of the string."))
    #expect(
      reason(stack, "title.colour == 'red'").hasSuffix(
        "a store cannot follow keys after the attribute title of Book."
      )
    )
    let memory = try LibraryStack(NSInMemoryStoreType)
    _ = memory.make("Book", ["title": "long title"])
    try memory.context.save()
    let ofText = reason(memory, "title.colour == 'red'")
    #expect(ofText.contains("the request reads the key colour of a string, which has no such key"))
    _ = stack.make("Book", ["title": "long title"])
    try stack.context.save()
    #expect(reason(stack, "length:(title) > 4") == "1 found")
    #expect(reason(stack, "length:(title) > 40") == "0 found")
  }

  @Test func `A key of a sub-entity is refused, naming the sub-entity`() throws {
    let stack = try LibraryStack()
    #expect(
      reason(stack, "hero == 'x'").hasSuffix(
        "hero is a property of the subentity Novel, not of Book; in a request for Book, use Novel as "
          + "the entity; in a predicate, fetch the Novel objects first and compare with IN, as in "
          + "'SELF IN %@'."
      )
    )
    #expect(
      reason(stack, "book.hero == 'x'", "Chapter").hasSuffix(
        "not of Book; in a predicate, fetch the Novel objects first and compare with IN, as in "
          + "'book IN %@'."
      )
    )
    let memory = try LibraryStack(NSInMemoryStoreType)
    let error = reason(memory, "ANY books.hero == 'x'", "Author")
    #expect(error.hasSuffix("as in 'ANY books IN %@'."))
  }
}
