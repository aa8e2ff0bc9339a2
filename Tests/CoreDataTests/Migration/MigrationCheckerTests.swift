// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// The checker of a program's migrations finds what a migration loses, and names the place.
@Suite("Migration checker")
struct MigrationCheckerTests {
  private static let text = #"optional="YES" attributeType="String""#
  private static let folder = """
    <entity name="Folder"><attribute name="name" \(text)/>
    <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify" ordered="YES"
      destinationEntity="Note" inverseName="folder" inverseEntity="Note"/></entity>
    """
  private static func note(_ attributes: String) -> String {
    """
    <entity name="Note">\(attributes)
    <relationship name="folder" optional="YES" maxCount="1" deletionRule="Nullify"
      destinationEntity="Folder" inverseName="notes" inverseEntity="Folder"/></entity>
    """
  }
  private static let first = folder + note("<attribute name=\"body\" \(text)/>")
  private static let second =
    folder
    + note(
      "<attribute name=\"text\" \(text) elementID=\"body\"/>"
        + "<attribute name=\"rank\" attributeType=\"Integer 16\" defaultValueString=\"3\"/>"
    )
  private static let third =
    folder
    + note(
      "<attribute name=\"content\" \(text) elementID=\"body\"/>"
        + "<attribute name=\"rank\" attributeType=\"Integer 64\" defaultValueString=\"3\"/>"
    )

  /// Opens the store with automatic migration and changes its objects.
  private func container(
    _ model: URL,
    _ store: URL,
    _ change: (NSManagedObjectContext) throws -> Void
  ) throws -> NSPersistentContainer {
    let model = try #require(NSManagedObjectModel(contentsOf: model))
    let container = NSPersistentContainer(name: "Model", managedObjectModel: model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: store)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    let context = container.newBackgroundContext()
    try context.performAndWait {
      try change(context)
      try context.save()
    }
    return container
  }

  private func notes(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "content", ascending: false)]
    return try context.fetch(request)
  }

  @Test("Inferred migrations of all versions keep everything, and nothing is dropped")
  func sound() throws {
    let model = try VersionedModel([Self.first, Self.second, Self.third])
    let checker = try MigrationChecker(modelAt: model.url, seed: 5)
    #expect(checker.versions == ["Model 1", "Model 2"])
    #expect(try checker.failures() == [])
    #expect(try checker.dropped(from: "Model 1") == [])
  }

  @Test("A property that is renamed without an identifier is dropped")
  func dropped() throws {
    let last = Self.folder + Self.note("<attribute name=\"content\" \(Self.text)/>")
    let model = try VersionedModel([Self.first, last])
    let checker = try MigrationChecker(modelAt: model.url)
    #expect(try checker.dropped(from: "Model 1") == ["Note.body"])
    #expect(try checker.failures() == [])
  }

  @Test(
    "A rename in two versions is lost in one step if the last identifier is of the version between"
  )
  func lostRename() throws {
    let last =
      Self.folder + Self.note("<attribute name=\"content\" \(Self.text) elementID=\"text\"/>")
    let middle =
      Self.folder + Self.note("<attribute name=\"text\" \(Self.text) elementID=\"body\"/>")
    let model = try VersionedModel([Self.first, middle, last])
    let failures = try MigrationChecker(modelAt: model.url, seed: 9).failures()
    #expect(!failures.isEmpty)
    #expect(failures.allSatisfy { $0.version == "Model 1" && $0.seed == 9 })
    #expect(
      failures.contains { $0.property == "content" && $0.object?.hasPrefix("Note/p") == true }
    )
  }

  @Test("A changed value names version, object, property and seed")
  func changedValue() throws {
    let model = try VersionedModel([Self.second, Self.third])
    let checker = try MigrationChecker(modelAt: model.url, seed: 4)
    let open = { (store: URL) in
      try container(model.url, store) { try notes($0).first?.setValue(99, forKey: "rank") }
    }
    let failures = try checker.failures(opening: open)
    let failure = try #require(failures.first { $0.property == "rank" })
    #expect(failure.version == "Model 1" && failure.seed == 4 && failure.law == nil)
    #expect(failure.object?.hasPrefix("Note/p") == true)
    #expect(failure.text.hasPrefix("99.0 instead of "))
    #expect(failure.description.hasPrefix("store of “Model 1” (seed 4): Note/p"))
    var tolerant = checker
    tolerant.exemptions = ["Note.rank"]
    #expect(try tolerant.failures(opening: open) == [])
  }

  @Test("Deleted, added and moved objects are named")
  func objects() throws {
    let model = try VersionedModel([Self.second, Self.third])
    let checker = try MigrationChecker(modelAt: model.url)
    let deleted = try checker.failures { store in
      try container(model.url, store) { context in
        if let first = try notes(context).first { context.delete(first) }
      }
    }
    #expect(deleted.contains { $0.text == "the object is missing" && $0.property == nil })
    let added = try checker.failures { store in
      try container(model.url, store) {
        NSEntityDescription.insertNewObject(forEntityName: "Note", into: $0)
          .setValue("new", forKey: "content")
      }
    }
    #expect(added.map(\.text) == ["the object did not exist before the migration"])
    let moved = try checker.failures { store in
      try container(model.url, store) { context in
        let note = try notes(context).first { $0.value(forKey: "folder") != nil }
        note?.setValue(nil, forKey: "folder")
      }
    }
    #expect(Set(moved.map(\.property)) == ["folder", "notes"])
  }

  @Test("Laws of the program get the data before and the migrated objects")
  func laws() throws {
    let model = try VersionedModel([Self.first, Self.second, Self.third])
    var checker = try MigrationChecker(modelAt: model.url)
    checker.addLaw("ranks are 3", versions: ["Model 1"]) { before, context in
      #expect(before.objects(of: "Note").count == 6)
      #expect(before.objects(of: "Note").allSatisfy { $0["rank"] == nil })
      let ranks = try notes(context).compactMap { $0.value(forKey: "rank") as? Int }
      if Set(ranks) != [3] { throw MigrationChecker.Violation("\(ranks)", property: "rank") }
    }
    #expect(try checker.failures() == [])
    checker.addLaw("never holds", versions: ["Model 2"]) { before, _ in
      let object = before.objects(of: "Note")[0]
      throw MigrationChecker.Violation("as it must", object: object.name, property: "text")
    }
    let failures = try checker.failures()
    #expect(failures.map(\.law) == ["never holds"] && failures.map(\.version) == ["Model 2"])
    #expect(failures.first?.object == "Note/p1" && failures.first?.property == "text")
  }

  @Test("A store that cannot be migrated is a failure with the reasons")
  func refused() throws {
    let last = Self.folder + Self.note("<attribute name=\"body\" attributeType=\"Integer 16\"/>")
    let model = try VersionedModel([Self.first, last])
    let failures = try MigrationChecker(modelAt: model.url).failures()
    #expect(failures.count == 1)
    #expect(failures[0].text.contains("the store cannot be opened"))
    #expect(failures[0].text.contains("Note.body"))
  }

  @Test("A store whose objects cannot be read after it was opened is not said to be unopened")
  func unreadable() throws {
    let model = try VersionedModel([Self.first, Self.second])
    let failures = try MigrationChecker(modelAt: model.url).failures { store in
      let container = try container(model.url, store) { _ in }
      try SQLFile(url: store).run("DROP TABLE ZFOLDER")
      return container
    }
    #expect(failures.first?.text.hasPrefix("the migrated objects cannot be read: ") == true)
    #expect(failures.allSatisfy { !$0.text.hasPrefix("the store cannot be opened") })
  }
}

/// A model with versions, in a folder that is removed with this object.
final class VersionedModel {
  let folder: URL
  /// The `.xcdatamodeld` folder.
  let url: URL

  /// `versions` are the entities of “Model 1”, “Model 2” and so on; the last one is the current version.
  init(_ versions: [String]) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    url = folder.appendingPathComponent("Model.xcdatamodeld")
    for (index, entities) in versions.enumerated() {
      let version = file(index + 1).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data("<model type=\"com.apple.IDECoreDataModeler.DataModel\">\(entities)</model>".utf8)
        .write(to: file(index + 1))
    }
    let current = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": "Model \(versions.count).xcdatamodel"],
      format: .xml,
      options: 0
    )
    try current.write(to: url.appendingPathComponent(".xccurrentversion"))
  }

  /// The file of a version.
  func file(_ number: Int) -> URL {
    url.appendingPathComponent("Model \(number).xcdatamodel/contents")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
