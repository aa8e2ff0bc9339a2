// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Sources as people write them for Apple's systems: that they compile, and what they do.
@Suite struct PortedSourceTests {
  // MARK: Results of fetches

  @Test("NSFetchRequestResult is a protocol: it can be extended, inherited and used as a bound")
  func resultProtocol() throws {
    func first<T: NSFetchRequestResult>(
      _ request: NSFetchRequest<T>,
      in context: NSManagedObjectContext
    ) throws -> T? {
      request.fetchLimit = 1
      return try context.fetch(request).first
    }
    let stack = try LibraryStack(NSInMemoryStoreType)
    _ = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    let named = try #require(
      try first(NSFetchRequest<NSManagedObject>(entityName: "Tag"), in: stack.context)
    )
    #expect(named.value(forKey: "name") as? String == "a")
    let any = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
    #expect(try first(any, in: stack.context) === named)
    #expect(try stack.context.fetch(any) as? [NSManagedObject] == [named])
    any.resultType = .dictionaryResultType
    any.propertiesToFetch = ["name"]
    let rows = try stack.context.fetch(any) as? [[String: Any]]
    #expect(rows?.first?["name"] as? String == "a")
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Tag")
    ids.resultType = .managedObjectIDResultType
    #expect(try stack.context.fetch(ids) == [named.objectID])
    let counts = NSFetchRequest<NSNumber>(entityName: "Tag")
    counts.resultType = .countResultType
    #expect(try stack.context.fetch(counts) == [1])
    #expect(PortedTag.marked == "marked PortedTag")
    let labelled: any PortedLabel = PortedTag(
      entity: try #require(stack.container.managedObjectModel.entitiesByName["Tag"]),
      insertInto: nil
    )
    #expect(labelled.label == "tag")
  }

  @Test("A delegate sees the objects of a typed controller")
  func erasedController() throws {
    final class Delegate: NSFetchedResultsControllerDelegate {
      var seen: [NSFetchRequestResult] = []
      func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>
      ) {
        seen = controller.fetchedObjects ?? []
        seen.append(controller.object(at: [0, 0]))
      }
    }
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let delegate = Delegate()
      let controller = fixture.controller()
      controller.delegate = delegate
      try controller.performFetch()
      let nation = fixture.add("a", "Asia", 1)
      fixture.context.processPendingChanges()
      #expect(delegate.seen.count == 2)
      #expect(delegate.seen.allSatisfy { $0 === nation })
    }
  }

  @Test("A class with Xcode's own fetchRequest() has one that is meant")
  func ownFetchRequest() throws {
    let request = PortedTag.fetchRequest()
    request.predicate = NSPredicate(value: true)
    let typed: NSFetchRequest<PortedTag> = request
    #expect(typed.entityName == "Tag")
    let any: NSFetchRequest<NSFetchRequestResult> = PortedTag.fetchRequest()
    #expect(any.entityName == "PortedTag", "no model in use has the class")
  }

  // MARK: Making objects

  @Test("A class that declares init(entity:insertInto:) inherits init(context:)")
  func inheritedInit() throws {
    let model = Library.model()
    let tag = try #require(model.entitiesByName["Tag"])
    tag.managedObjectClassName = ManagedObjectClasses.name(of: OwnInitTag.self)
    let stack = try LibraryStack(NSInMemoryStoreType, model: model)
    let made = OwnInitTag(context: stack.context)
    #expect(made.isPrepared && made.isInserted)
    func make<T: NSManagedObject>(_ type: T.Type) -> T { T(context: stack.context) }
    #expect(make(OwnInitTag.self).isPrepared)
    #expect(stack.make("Tag") is OwnInitTag)
    func make<T: NSManagedObject>(in type: T.Type) -> T { T(entity: tag, insertInto: nil) }
    #expect(make(in: OwnInitTag.self).isPrepared)
    let dynamic: NSManagedObject.Type = OwnInitTag.self
    #expect((dynamic.init(context: stack.context) as? OwnInitTag)?.isPrepared == true)
    #expect((dynamic.init(entity: tag, insertInto: nil) as? OwnInitTag)?.isPrepared == true)
    #expect(OwnInitTag.make(in: stack.context).isPrepared)
    let mapped = [stack.context].map(OwnInitTag.init(context:))
    #expect(mapped.map(\.isPrepared) == [true])
    let loose = OwnInitTag()
    #expect(loose.isPrepared && loose.managedObjectContext == nil && loose.entity.name == "Tag")
  }

  @Test("A class declares init(context:) and initialisers of its own without required")
  func ownInits() throws {
    let model = Library.model()
    let tag = try #require(model.entitiesByName["Tag"])
    tag.managedObjectClassName = ManagedObjectClasses.name(of: NamedTag.self)
    let stack = try LibraryStack(NSInMemoryStoreType, model: model)
    let made = NamedTag(context: stack.context)
    #expect(made.note == "own")
    #expect(NamedTag(name: "a", context: stack.context).note == "named")
    #expect((stack.make("Tag") as? NamedTag)?.note == "default")
    try stack.context.save()
    stack.context.reset()
    let found = try stack.context.fetch(NSFetchRequest<NamedTag>(entityName: "Tag"))
    #expect(found.map(\.note) == Array(repeating: "default", count: 3))
  }

  @Test("init() of an object without an entity stops the program with Apple's words")
  func looseObject() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { _ = PortedTag() }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("Failed to call designated initializer on NSManagedObject class 'PortedTag'")
    )
  }

  @Test("IDs and conflicts without arguments are values of their own")
  func looseValues() {
    let (first, second) = (NSManagedObjectID(), NSManagedObjectID())
    #expect(first == first && first != second && first.isTemporaryID)
    #expect(first.persistentStore == nil)
    let conflict = NSConstraintConflict()
    #expect(conflict.constraint.isEmpty && conflict.conflictingObjects.isEmpty)
  }

  @Test("entity() of a class without one says so, and goes on")
  func classWithoutEntity() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      precondition(PortedTag.entity().name == nil)
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("claim the NSManagedObject subclass 'PortedTag' so +entity is confused")
    )
  }

  // MARK: Small things

  @Test("The default directory is a property and a method, also of a subclass that overrides it")
  func defaultDirectory() {
    let directory: URL = NSPersistentContainer.defaultDirectoryURL
    #expect(directory == NSPersistentContainer.defaultDirectoryURL())
    #expect(NSPersistentContainer.defaultDirectoryURL.isFileURL)
    #expect(ElsewhereContainer.defaultDirectoryURL as URL == URL(fileURLWithPath: "/elsewhere"))
    let container = ElsewhereContainer(name: "Shop", managedObjectModel: NSManagedObjectModel())
    #expect(container.persistentStoreDescriptions[0].url?.path == "/elsewhere/Shop.sqlite")
  }

  @available(*, deprecated, message: "tests what is deprecated")
  private func name(_ type: NSManagedObjectContextConcurrencyType) -> String {
    switch type {
    case .confinementConcurrencyType: "confinement"
    case .privateQueueConcurrencyType: "private"
    case .mainQueueConcurrencyType: "main"
    }
  }

  @Test("A switch over the kinds of queues may name the oldest")
  func confinement() {
    #expect(NSManagedObjectContextConcurrencyType(rawValue: 0) != nil)
    #expect(NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType.rawValue == 1)
    guard let type = NSManagedObjectContextConcurrencyType(rawValue: 0) else { return }
    let context = NSManagedObjectContext(concurrencyType: type)
    #expect(context.concurrencyType == type)
    #expect(context.performAndWait { 3 } == 3)
  }

  @Test("The metadata of a store are set by assignment")
  func metadata() throws {
    let stack = try LibraryStack()
    let coordinator = stack.container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    store.metadata["author"] = "me"
    #expect(store.metadata["author"] as? String == "me")
    #expect(store.metadata[NSStoreUUIDKey] as? String == store.identifier)
    let url = try #require(store.url)
    let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType,
      at: url
    )
    #expect(read["author"] as? String == "me")
  }

  @Test("The three transformers of Foundation are there by their names")
  func transformers() {
    let negate = ValueTransformer.named(.negateBooleanTransformerName)
    #expect(negate?.transformedValue(true) as? Bool == false)
    #expect(negate?.reverseTransformedValue(false) as? Bool == true)
    let isNil = ValueTransformer.named(.isNilTransformerName)
    #expect(isNil?.transformedValue(nil) as? Bool == true)
    #expect(isNil?.transformedValue("a") as? Bool == false)
    let isNotNil = ValueTransformer.named(.isNotNilTransformerName)
    #expect(isNotNil?.transformedValue("a") as? Bool == true)
    #expect(NSValueTransformerName.isNilTransformerName.rawValue == "NSIsNil")
  }

  @Test("A pool's body runs once and gives its value or error")
  func pool() {
    #expect(autoreleasepool { 3 } == 3)
    #expect(throws: CancellationError.self) { try autoreleasepool { throw CancellationError() } }
  }

  @Test("Notifications come one after the other to for await")
  func notifications() async throws {
    let name = Notification.Name("PortedSource-\(UUID().uuidString)")
    let center = NotificationCenter()
    var iterator = center.notifications(named: name).makeAsyncIterator()
    for number in 0..<3 { center.post(name: name, object: nil, userInfo: ["number": number]) }
    center.post(name: Notification.Name("other"), object: nil)
    for number in 0..<3 {
      let notification = await iterator.next()
      #expect(notification?.userInfo?["number"] as? Int == number)
    }
    let task = Task {
      for await _ in center.notifications(named: name) { Issue.record("posted by nobody") }
      return true
    }
    task.cancel()
    #expect(await task.value)
  }

  @Test("The name of a key path is public")
  func keyPathName() {
    #expect((\Node.name as AnyKeyPath).keyPathName == "name")
    #expect((\Node.parent?.name as AnyKeyPath).keyPathName == "parent.name")
    #expect((\Node.isFault as AnyKeyPath).keyPathName == nil)
  }

  @Test("A private class has a name by which a model finds it")
  func privateClassName() throws {
    let name = ManagedObjectClasses.name(of: HiddenTag.self)
    #expect(name.hasPrefix("CoreDataTests.") && name.hasSuffix("HiddenTag"))
    let model = Library.model()
    try #require(model.entitiesByName["Tag"]).managedObjectClassName = name
    let stack = try LibraryStack(NSInMemoryStoreType, model: model)
    #expect(stack.make("Tag") is HiddenTag)
  }
}

extension NSFetchRequestResult where Self: NSManagedObject {
  static var marked: String { "marked \(Self.self)" }
}

private protocol PortedLabel: NSFetchRequestResult {
  var label: String { get }
}

private final class HiddenTag: NSManagedObject {}

/// A class as Xcode writes it.
private final class PortedTag: NSManagedObject, PortedLabel {
  var label: String { "tag" }

  @nonobjc class func fetchRequest() -> NSFetchRequest<PortedTag> {
    NSFetchRequest<PortedTag>(entityName: "Tag")
  }
}

private final class OwnInitTag: NSManagedObject {
  var isPrepared = false
  var name: String? {
    get { value(forKey: "name") as? String }
    set { setValue(newValue, forKey: "name") }
  }

  override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    super.init(entity: entity, insertInto: context)
    isPrepared = true
  }

  class func make(in context: NSManagedObjectContext) -> Self { self.init(context: context) }
}

/// A class with a designated initialiser of its own, and with an initialiser that `NSManagedObject` has too.
private class NamedTag: NSManagedObject {
  var note: String

  override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    note = "default"
    super.init(entity: entity, insertInto: context)
  }

  init(note: String, entity: NSEntityDescription, context: NSManagedObjectContext) {
    self.note = note
    super.init(entity: entity, insertInto: context)
  }

  convenience init(name: String, context: NSManagedObjectContext) {
    self.init(note: "named", entity: Self.entity(), context: context)
  }

  convenience init(context: NSManagedObjectContext) {
    self.init(note: "own", entity: Self.entity(), context: context)
  }
}

private final class ElsewhereContainer: NSPersistentContainer, @unchecked Sendable {
  // Unchecked: the class has no variables.
  override class func defaultDirectoryURL() -> URL { URL(fileURLWithPath: "/elsewhere") }
}
