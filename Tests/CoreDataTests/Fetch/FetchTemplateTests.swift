// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Named requests of a model, and properties that are fetched.
@Suite struct FetchTemplateTests {
  /// The library, where each author knows the long books of others, and books have neighbours.
  private func model() throws -> NSManagedObjectModel {
    let model = Library.model()
    let author = try #require(model.entitiesByName["Author"])
    let others = NSFetchedPropertyDescription()
    others.name = "others"
    others.userInfo = ["least": "3"]
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    request.predicate = NSPredicate(
      format: "author != $FETCH_SOURCE AND author.name > $FETCH_SOURCE.name"
        + " AND pages >= CAST($FETCHED_PROPERTY.userInfo.least, 'NSNumber')"
    )
    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
    others.fetchRequest = request
    author.properties += [others]
    let long = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    long.predicate = NSPredicate(format: "pages >= $LEAST AND author.name == $AUTHOR")
    long.fetchLimit = 3
    long.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    model.setFetchRequestTemplate(long, forName: "long")
    return model
  }

  private func filled() throws -> LibraryStack {
    let stack = try LibraryStack(model: model())
    for name in ["a", "b"] {
      let author = stack.make("Author", ["name": name])
      for pages in 1...5 { _ = stack.make("Book", ["pages": pages, "author": author]) }
    }
    try stack.context.save()
    return stack
  }

  private func author(_ name: String, _ stack: LibraryStack) throws -> NSManagedObject {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = NSPredicate(format: "name == %@", name)
    return try #require(try stack.context.fetch(request).first)
  }

  @Test("templates are found by name, as copies, and take values for their variables")
  func templates() throws {
    let stack = try filled()
    let model = stack.container.managedObjectModel
    #expect(model.fetchRequestTemplate(forName: "short") == nil)
    #expect(
      model.fetchRequestFromTemplate(withName: "short", substitutionVariables: [:]) == nil
    )
    #expect(Array(model.fetchRequestTemplatesByName.keys) == ["long"])
    model.fetchRequestTemplate(forName: "long")?.fetchLimit = 1
    let request = try #require(
      model.fetchRequestFromTemplate(
        withName: "long",
        substitutionVariables: ["LEAST": 2, "AUTHOR": "b"]
      )
    )
    #expect(request.entityName == "Book" && request.fetchLimit == 3)
    let books = try stack.context.fetch(request).compactMap { $0 as? NSManagedObject }
    #expect(Shelf.pages(books) == [2, 3, 4])
    let typed: NSFetchRequest<NSManagedObject>? = model.fetchRequestFromTemplate(
      withName: "long",
      substitutionVariables: ["LEAST": 5, "AUTHOR": "a"]
    )
    #expect(Shelf.pages(try stack.context.fetch(try #require(typed))) == [5])
  }

  @Test("templates of a model file have its predicate, limits and flags")
  func file() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("templates-\(UUID().uuidString).xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Venue" representedClassName="Venue" syncable="YES">
          <attribute name="name" optional="YES" attributeType="String"/>
          <fetchedProperty name="namesakes" optional="YES">
            <fetchRequest name="fetchedPropertyFetchRequest" entity="Venue"
              predicateString="name == $FETCH_SOURCE.name"/>
          </fetchedProperty>
        </entity>
        <fetchRequest name="FetchRequest" entity="Venue" predicateString="name BEGINSWITH $START"
          fetchLimit="7" fetchBatchSize="20" includeSubentities="NO" resultType="1"/>
        <fetchRequest name="Broken" entity="Venue" predicateString="name BEGINSWITH"/>
      </model>
      """
    try Data(text.utf8).write(to: folder.appendingPathComponent("contents"))
    let model = try #require(NSManagedObjectModel(contentsOf: folder))
    let request = try #require(
      model.fetchRequestFromTemplate(
        withName: "FetchRequest",
        substitutionVariables: ["START": "x"]
      )
    )
    #expect(request.entity === model.entitiesByName["Venue"])
    #expect(request.predicate?.canonicalFormat == "name BEGINSWITH \"x\"")
    #expect(request.fetchLimit == 7 && request.fetchBatchSize == 20)
    // Of IDs no values are asked for, as Apple's model compiler has it.
    #expect(!request.includesSubentities && !request.includesPropertyValues)
    #expect(request.resultType == .managedObjectIDResultType)
    #expect(model.fetchRequestTemplate(forName: "Broken") == nil)
    let property = model.entitiesByName["Venue"]?.propertiesByName["namesakes"]
    let fetched = try #require((property as? NSFetchedPropertyDescription)?.fetchRequest)
    #expect(fetched.entity?.name == "Venue")
    #expect(fetched.predicate?.canonicalFormat == "name == $FETCH_SOURCE.name")
    // Copies keep them, and a merged model has them.
    #expect((model.copy() as? NSManagedObjectModel)?.fetchRequestTemplatesByName.count == 1)
    let merged = NSManagedObjectModel(byMerging: [model])
    #expect(merged?.fetchRequestTemplate(forName: "FetchRequest")?.fetchLimit == 7)
    model.setFetchRequestTemplate(nil, forName: "FetchRequest")
    #expect(model.fetchRequestTemplate(forName: "FetchRequest") == nil)
  }

  @Test("FP-1 a fetched property is fetched at its first use, sorted, and kept until refaulting")
  func fetchedProperty() throws {
    let stack = try filled()
    let a = try author("a", stack)
    let others = try #require(a.value(forKey: "others") as? [NSManagedObject])
    #expect(Shelf.pages(others) == [5, 4, 3])
    let b = try author("b", stack)
    #expect((b.value(forKey: "others") as? [NSManagedObject])?.isEmpty == true)
    _ = stack.make("Book", ["pages": 9, "author": b])
    try stack.context.save()
    #expect((a.value(forKey: "others") as? [NSManagedObject])?.count == 3)
    stack.context.refresh(a, mergeChanges: false)
    #expect((a.value(forKey: "others") as? [NSManagedObject])?.count == 4)
    #expect(a.value(forKeyPath: "others.@max.pages") as? Int == 9)
    #expect(!a.hasChanges && a.changedValues().isEmpty)
    try stack.context.save()
    // A condition on it is evaluated on the objects.
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = NSPredicate(format: "others.@count > 0")
    #expect(try stack.context.fetch(request) == [a])
    #expect(NSManagedObject(entity: a.entity, insertInto: nil).value(forKey: "others") == nil)
  }

  @Test("FP-1 a fetched property cannot be set")
  func notSettable() async throws {
    await #expect(processExitsWith: .failure) {
      let stack = try FetchTemplateTests().filled()
      try FetchTemplateTests().author("a", stack).setValue([], forKey: "others")
    }
  }

  @Test("a variable without a value stops the program, and so does changing a model in use")
  func misuse() async throws {
    await #expect(processExitsWith: .failure) {
      let model = try FetchTemplateTests().model()
      _ = model.fetchRequestFromTemplate(
        withName: "long",
        substitutionVariables: ["LEAST": 2]
      )
    }
    await #expect(processExitsWith: .failure) {
      let stack = try FetchTemplateTests().filled()
      stack.container.managedObjectModel.setFetchRequestTemplate(nil, forName: "long")
    }
  }
}
