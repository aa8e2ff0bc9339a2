// SPDX-License-Identifier: Apache-2.0

import CoreData
import Synchronization
import Testing

/// Value transformers that no code registers, because the name is that of a class.
@Suite("Transformers by class name") struct NamedTransformerTests {
  @Test func `A class at the top level is found by its name, with and without its module`() throws {
    let found = try #require(ValueTransformer(forName: .init("UpperTransformer")))
    #expect(found.transformedValue("a") as? String == "A")
    #expect(ValueTransformer(forName: .init("UpperTransformer")) === found)
    #expect(ValueTransformer.valueTransformerNames().contains(.init("UpperTransformer")))
    let qualified = NSValueTransformerName("CoreDataTests.UpperTransformer")
    #expect(ValueTransformer(forName: qualified) is UpperTransformer)
    // The name of an Xcode target is ignored.
    #expect(ValueTransformer(forName: .init("App.UpperTransformer")) is UpperTransformer)
    #expect(ValueTransformer(forName: .init("NoSuchTransformer")) == nil)
    // A class of another kind is not a transformer.
    #expect(ValueTransformer(forName: .init("HandMadeCover")) == nil)
  }

  @Test
  func `A registered transformer is preferred to a class, and the initialiser checks the class`() {
    let name = NSValueTransformerName("LowerTransformer")
    let registered = UpperTransformer()
    ValueTransformer.setValueTransformer(registered, forName: name)
    #expect(ValueTransformer(forName: name) === registered)
    #expect(UpperTransformer(forName: name) === registered)
    #expect(LowerTransformer(forName: name) == nil)
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) is LowerTransformer)
  }

  @Test func `A subclass with an initialiser of its own is created with init()`() throws {
    let found = try #require(
      ValueTransformer(forName: .init("SuffixTransformer")) as? SuffixTransformer
    )
    #expect(found.suffix == "!")
    #expect(found.transformedValue("a") as? String == "a!")
  }

  @Test func `A generated class gives the name of Objective-C, or of a nested class`() {
    #expect(ValueTransformer(forName: .init("XYZNestedTransformer")) is Nest.Transformer)
  }

  @Test func `Foundation's transformer for archives is found by its name`() throws {
    let archiver = try #require(
      ValueTransformer(forName: .secureUnarchiveFromDataTransformerName)
    )
    let data = archiver.reverseTransformedValue(["a", "b"])
    #expect(archiver.transformedValue(data) as? [String] == ["a", "b"])
  }

  @Test func `Values of an attribute are converted by the class that the model names`() throws {
    let attribute = NSAttributeDescription()
    attribute.name = "body"
    attribute.attributeType = .transformableAttributeType
    attribute.valueTransformerName = "BytesTransformer"
    let note = NSEntityDescription()
    note.name = "Note"
    note.properties = [attribute]
    let model = NSManagedObjectModel()
    model.entities = [note]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: URL(fileURLWithPath: "/dev/null")
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValue("text", forKey: "body")
      try context.save()
      context.reset()
      let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
      #expect(found.map { $0.value(forKey: "body") as? String } == ["text"])
      let count = BytesTransformer.count.withLock { $0 }
      #expect(count >= 2)
    }
  }
}

final class UpperTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }
}

final class LowerTransformer: ValueTransformer {}

final class SuffixTransformer: ValueTransformer {
  let suffix: String
  init(suffix: String) {
    self.suffix = suffix
    super.init()
  }
  override convenience init() { self.init(suffix: "!") }
  override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { $0 + suffix } }
}

final class BytesTransformer: ValueTransformer {
  static let count = Mutex(0)
  override func transformedValue(_ value: Any?) -> Any? {
    Self.count.withLock { $0 += 1 }
    return (value as? String).map { Data($0.utf8) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    Self.count.withLock { $0 += 1 }
    return (value as? Data).map { String(decoding: $0, as: UTF8.self) }
  }
}

private enum Nest {
  final class Transformer: ValueTransformer {}
}

/// A class as the generator writes it.
final class _CoreDataNamed_XYZNestedTransformer: _NamedClass {
  override class var _class: AnyClass { Nest.Transformer.self }
}
