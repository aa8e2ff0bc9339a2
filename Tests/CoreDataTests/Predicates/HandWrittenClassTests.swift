// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Synchronization
import Testing

/// A class whose body is written by hand, each property another way.
class HandWork: NSManagedObject {
  var title: String {
    get { value(forKey: "title") as? String ?? "Untitled" }
    set { setValue(newValue, forKey: "title") }
  }
  var pages: Int {
    get { (value(forKey: "pages") as? NSNumber)?.intValue ?? 0 }
    set { setValue(newValue, forKey: "pages") }
  }
  var price: Double { value(forKey: "price") as? Double ?? 0 }
  var published: Date? {
    willAccessValue(forKey: "published")
    defer { didAccessValue(forKey: "published") }
    return primitiveValue(forKey: "published") as? Date
  }
  // A mandatory attribute, as a class of the user's may say it.
  // swift-format-ignore: NeverForceUnwrap
  var isbn: UUID { value(forKey: "isbn") as! UUID }
  var isLent: Bool { value(forKey: "isLent") as? Bool ?? false }
  var author: HandWriter? {
    get { value(forKey: "author") as? HandWriter }
    set { setValue(newValue, forKey: "author") }
  }
  var tags: Set<NSManagedObject> { value(forKey: "tags") as? Set<NSManagedObject> ?? [] }
  var chapters: NSOrderedSet? { value(forKey: "chapters") as? NSOrderedSet }

  // What the model does not have.
  var shout: String { title.uppercased() }
  var isFree: Bool { isLent || price == 0 }
  var isLong: Bool { pages > 500 }
  var constant: Int { 3 }
}

/// A subclass of the hand-written class.
final class HandStory: HandWork {
  var hero: String? { value(forKey: "hero") as? String }
}

/// A class written by hand whose properties stand in an extension, as for “Category/Extension”.
final class HandWriter: NSManagedObject {}
extension HandWriter {
  // The slots of another version of the model, where `books` came first.
  var name: String? {
    get { _read(1, "name") }
    set { _write(newValue, 1, "name") }
  }
  var books: NSSet? { _readSet(0, "books") }
}

/// A class whose getter releases what keeps its model.
final class HandLast: NSManagedObject {
  static let stack = Mutex<LibraryStack?>(nil)
  var title: String? {
    Self.stack.withLock { $0 = nil }
    return value(forKey: "title") as? String
  }

  static func makeStack() throws {
    try stack.withLock { stack in
      let model = Library.model()
      model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(Self.self)
      stack = try LibraryStack(NSInMemoryStoreType, model: model)
    }
  }
}

private func stack() throws -> LibraryStack {
  let model = Library.model()
  let classes: [String: AnyClass] = [
    "Book": HandWork.self, "Novel": HandStory.self, "Author": HandWriter.self,
  ]
  for (name, type): (String, AnyClass) in classes {
    model.entitiesByName[name]?.managedObjectClassName = NSStringFromClass(type)
  }
  return try LibraryStack(NSInMemoryStoreType, model: model)
}

/// Key paths of classes that no table of names belongs to.
@Suite struct HandWrittenClassTests {
  private func key<Root, Value>(_ path: KeyPath<Root, Value>) -> String? {
    NSSortDescriptor(keyPath: path, ascending: true).key
  }

  @Test func `A model that is released while a name is searched lives until the end`() throws {
    try HandLast.makeStack()
    #expect(key(\HandLast.title) == "title")
    #expect(HandLast.stack.withLock { $0 == nil })
  }

  @Test func `A key path's name is the key that its getter gives the value of`() throws {
    let stack = try stack()
    #expect(key(\HandWork.title) == "title")
    #expect(key(\HandWork.pages) == "pages")
    #expect(key(\HandWork.price) == "price")
    #expect(key(\HandWork.published) == "published")
    #expect(key(\HandWork.isbn) == "isbn")
    #expect(key(\HandWork.isLent) == "isLent")
    #expect(key(\HandWork.author) == "author")
    #expect(key(\HandWork.tags) == "tags")
    #expect(key(\HandWork.chapters) == "chapters")
    #expect(key(\HandWriter.name) == "name")
    #expect(key(\HandWriter.books) == "books")
    #expect(key(\HandStory.hero) == "hero")
    #expect(key(\HandStory.title) == "title")
    withExtendedLifetime(stack) {}
  }

  @Test func `A path of several steps is followed through the classes of the model`() throws {
    let stack = try stack()
    #expect(key(\HandWork.author?.name) == "author.name")
    #expect(key(\HandStory.author?.books) == "author.books")
    #expect(NSExpression(forKeyPath: \HandWork.author?.name).keyPath == "author.name")
    withExtendedLifetime(stack) {}
  }

  @Test func `Sorting, predicates and observation take such paths`() throws {
    let stack = try stack()
    let ann = HandWriter(context: stack.context)
    ann.name = "Ann"
    for (title, pages) in [("b", 3), ("a", 5), ("c", 1)] {
      let work = HandWork(entity: HandWork.entity(in: stack), insertInto: stack.context)
      work.title = title
      work.pages = pages
      work.author = ann
    }
    try stack.context.save()
    let request = NSFetchRequest<HandWork>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(keyPath: \HandWork.pages, ascending: false)]
    request.predicate = NSPredicate(
      #Predicate<HandWork> { $0.pages > 2 && $0.author?.name == "Ann" }
    )
    let found = try stack.context.fetch(request)
    #expect(found.map(\.title) == ["a", "b"])
    #expect(NSSortDescriptor(SortDescriptor(\HandWork.pages)).key == "pages")

    var seen: [Int] = []
    let observation = found[0].observe(\.pages, options: [.old, .new]) { _, change in
      seen += [change.oldValue ?? -1, change.newValue ?? -1]
    }
    found[0].pages = 8
    #expect(seen == [5, 8])
    observation.invalidate()
  }

  @Test func `Accessors in an extension find their slots by name`() throws {
    let stack = try stack()
    let writer = HandWriter(context: stack.context)
    writer.name = "Bob"
    #expect(writer.value(forKey: "name") as? String == "Bob")
    #expect(writer.name == "Bob" && writer.books?.count == 0)
  }

  @Test func `A computed property is no key, and the error says why`() throws {
    let stack = try stack()
    func reason(_ predicate: Predicate<HandWork>) -> String {
      do {
        return try NSPredicate(converting: predicate).canonicalFormat
      } catch {
        return "\(error)"
      }
    }
    #expect(
      reason(#Predicate { $0.shout == "A" })
        .contains("it reads title of Book, but returns a different value")
    )
    let computed = reason(#Predicate { $0.isFree })
    #expect(computed.contains("it is computed from Book.isLent, Book.price"))
    #expect(reason(#Predicate { $0.isLong }).contains("it reads pages of Book, but returns"))
    #expect(
      reason(#Predicate { $0.constant == 3 }).contains("it reads no property of the entity Book")
    )
    withExtendedLifetime(stack) {}
  }

  @Test func `A fetch sorted by a computed property throws with the reason`() throws {
    let stack = try stack()
    let request = NSFetchRequest<HandWork>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(keyPath: \HandWork.shout, ascending: true)]
    let error = #expect(throws: NSError.self) { try stack.context.fetch(request) }
    let text = error?.localizedDescription ?? ""
    #expect(error?.code == 134060)
    #expect(text.contains("from HandWork to String has no key name: it reads title of Book"))
    #expect(text.contains("Pass the key as a string instead"))
  }

  @Test func `A sort descriptor may be made before the model is in use`() async throws {
    try await #require(processExitsWith: .success) {
      let early = NSSortDescriptor(keyPath: \HandWork.published, ascending: false)
      let stack = try stack()
      _ = stack.make("Book", ["pages": 1, "published": Date.distantPast])
      _ = stack.make("Book", ["pages": 2, "published": Date.distantFuture])
      let request = NSFetchRequest<HandWork>(entityName: "Book")
      request.sortDescriptors = [early]
      let found = try stack.context.fetch(request).map(\.pages)
      if found != [2, 1] || early.key != "published" { exit(1) }
    }
  }

  @Test func `Without a throwing signature the program stops with the reason`() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = NSExpression(forKeyPath: \HandWork.title)
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("no model in use has an entity of the class HandWork")
    )
  }
}

extension HandWork {
  /// The book's entity in the stack's model.
  fileprivate static func entity(in stack: LibraryStack) -> NSEntityDescription {
    stack.container.managedObjectModel.entitiesByName["Book"] ?? NSEntityDescription()
  }
}
