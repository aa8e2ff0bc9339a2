// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A class as the generator writes it.
class MadeAuthor: NSManagedObject {
  override class var _entityName: String? { "Author" }
  override class var _slotNames: [String] { ["name", "books"] }
  var name: String? {
    get { _read(0, "name") }
    set { _write(newValue, 0, "name") }
  }
  override func awakeFromInsert() {
    super.awakeFromInsert()
    name = "new"
  }
}

/// A class with a stored property.
final class HeavyTag: NSManagedObject {
  var note = "light"
}

/// A class written by hand that only models name.
class HandMadeCover: NSManagedObject {}

/// `init(entity:insertInto:)` asked of a superclass gives an object of the entity's class.
@Suite struct EntityClassTests {
  private func stack() throws -> LibraryStack {
    let model = Library.model()
    model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(MadeAuthor.self)
    model.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(HeavyTag.self)
    return try LibraryStack(model: model)
  }

  private func entity(_ name: String, _ stack: LibraryStack) throws -> NSEntityDescription {
    try #require(NSEntityDescription.entity(forEntityName: name, in: stack.context))
  }

  @Test func `An object made by the base class is one of the entity's class`() throws {
    let stack = try stack()
    let object = NSManagedObject(entity: try entity("Author", stack), insertInto: stack.context)
    let author = try #require(object as? MadeAuthor)
    #expect(type(of: object) == MadeAuthor.self && author === object)
    #expect(author.name == "new")
    author.name = "Ann"
    #expect(object.value(forKey: "name") as? String == "Ann")
    #expect("\(object)".hasPrefix("<MadeAuthor>"))
    try stack.context.save()
    let found = try stack.context.fetch(NSFetchRequest<MadeAuthor>(entityName: "Author"))
    #expect(found.first === author && found.first?.name == "Ann")
  }

  @Test func `Without a context it is one too`() throws {
    let stack = try stack()
    let object = NSManagedObject(entity: try entity("Author", stack), insertInto: nil)
    #expect(object is MadeAuthor)
    stack.context.insert(object)
    #expect((object as? MadeAuthor)?.name == "new")
    withExtendedLifetime(stack) {}
  }

  @Test func `An entity without a class of its own gives the base class`() throws {
    let stack = try stack()
    let object = NSManagedObject(entity: try entity("Book", stack), insertInto: stack.context)
    #expect(type(of: object) == NSManagedObject.self)
  }

  @Test func `A class with stored properties has to be asked itself`() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let model = Library.model()
      model.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(HeavyTag.self)
      let stack = try LibraryStack(NSInMemoryStoreType, model: model)
      let entity = try #require(NSEntityDescription.entity(forEntityName: "Tag", in: stack.context))
      #expect(
        (NSEntityDescription.insertNewObject(forEntityName: "Tag", into: stack.context)
          as? HeavyTag)?.note == "light"
      )
      _ = NSManagedObject(entity: entity, insertInto: stack.context)
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self).contains(
        "NSManagedObject(entity:insertInto:) cannot create an object of the entity Tag, whose class "
          + "HeavyTag has stored properties. Use HeavyTag(context:)"
      )
    )
  }

  @Test func `A class named without its module is found wherever it is declared`() throws {
    let model = Library.model()
    model.entitiesByName["Cover"]?.managedObjectClassName = "HandMadeCover"
    model.entitiesByName["Book"]?.managedObjectClassName = ".HandMadeCover"
    let stack = try LibraryStack(NSInMemoryStoreType, model: model)
    #expect(stack.make("Cover") is HandMadeCover)
    #expect(stack.make("Book") is HandMadeCover)
    #expect(type(of: stack.make("Novel")) == NSManagedObject.self)
  }

  @Test func `Which classes objects have does not depend on the name of the program's file`() throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for copy in [nil, folder.appendingPathComponent("server")] {
      let outcome = try LaunchedProgram.run(["classes"], copy: copy)
      #expect(outcome.status == 0)
      let lines = outcome.standardError.split(separator: "\n").map(String.init)
      let missing =
        "CoreData: warning: Unable to load class named 'LaunchedGhost' for entity 'Ghost'.  "
        + "Class not found, using default NSManagedObject instead."
      #expect(lines.count { $0 == missing } == 1, "said once: \(lines)")
      #expect(
        lines.filter { !$0.contains("Unable to load class") }
          == Array(
            repeating: [
              "Note is LaunchedNote", "Ghost is NSManagedObject", "Ghost is NSManagedObject",
              "Plain is NSManagedObject",
            ],
            count: 2
          ).flatMap { $0 }
      )
      #expect(lines.count == 9)
    }
  }
}
