// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Rules of uniqueness constraints (behaviour.md SAVE-6, SAVE-7, UC-1)")
struct ConstraintRules {
  static let types = [NSSQLiteStoreType, NSInMemoryStoreType]

  private func stack(_ type: String) throws -> LibraryStack {
    try LibraryStack(type, model: Registry.model())
  }

  private func conflicts(_ error: NSError?) -> [NSConstraintConflict] {
    error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] ?? []
  }

  @Test(
    "SAVE-6 new objects with equal values are one conflict without database object",
    arguments: types
  )
  func amongNew(_ type: String) throws {
    let stack = try stack(type)
    let cities = (0..<3).map { stack.make("City", ["code": "B", "size": $0]) }
    _ = stack.make("City", ["code": "C"])
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    let reason = error?.localizedFailureReason
    #expect(reason?.hasPrefix("3 City objects would have the values code = B. ") == true)
    let found = conflicts(error)
    #expect(found.count == 1)
    #expect(found.first?.constraint == ["code"])
    #expect(found.first?.constraintValues["code"] as? String == "B")
    #expect(found.first?.databaseObject == nil && found.first?.databaseSnapshot == nil)
    #expect(found.first?.conflictingObjects == cities)
    #expect(found.first?.conflictingSnapshots.map(\.isEmpty) == [true, true, true])
    #expect(stack.context.insertedObjects.count == 4)
    #expect(try stack.reread("City").isEmpty)
  }

  @Test(
    "SAVE-6 a row with equal values is the database object, with its snapshot",
    arguments: types
  )
  func withRow(_ type: String) throws {
    let stack = try stack(type)
    let stored = stack.make("City", ["code": "B", "name": "Berlin"])
    try stack.context.save()
    let new = stack.make("City", ["code": "B", "name": "Bonn"])
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    let found = conflicts(error)
    #expect(error?.code == NSManagedObjectConstraintMergeError && found.count == 1)
    #expect(found.first?.databaseObject === stored)
    #expect(found.first?.databaseSnapshot?["name"] as? String == "Berlin")
    #expect(found.first?.conflictingObjects == [new])
    #expect(new.isInserted)
  }

  @Test(
    "SAVE-6 each violated constraint is a conflict; one along a hierarchy is one",
    arguments: types
  )
  func hierarchy(_ type: String) throws {
    let stack = try stack(type)
    let city = stack.make("City", ["code": "B"])
    let person = stack.make("Person", ["first": "Ada", "last": "L"])
    try stack.context.save()
    _ = stack.make("Capital", ["code": "B", "seal": "bear"])
    _ = stack.make("Person", ["first": "Ada", "last": "L"])
    _ = stack.make("Person", ["first": "Ada", "last": "M"])
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    let found = conflicts(error)
    #expect(Set(found.map(\.constraint)) == [["code"], ["first", "last"]])
    #expect(Set(found.compactMap(\.databaseObject)) == [city, person])
  }

  @Test(
    "SAVE-6 a constraint with a transformable compares it by the values of the objects",
    arguments: types
  )
  func transformable(_ type: String) throws {
    let model = Registry.model()
    let mark = NSAttributeDescription()
    mark.name = "mark"
    mark.attributeType = .transformableAttributeType
    mark.isOptional = true
    let person = try #require(model.entitiesByName["Person"])
    person.properties += [mark]
    person.uniquenessConstraints = [["first", "mark"]]
    let stack = try LibraryStack(type, model: model)
    func make(_ first: String, _ mark: [String]) -> NSManagedObject {
      stack.make("Person", ["first": first, "mark": mark as NSArray])
    }
    let stored = make("Ada", ["a", "b"])
    _ = make("Ada", ["a"])
    try stack.context.save()
    let others = [make("Ada", ["b"]), make("Bo", ["a", "b"])]
    try stack.context.save()
    #expect(others.allSatisfy { !$0.objectID.isTemporaryID })
    let new = make("Ada", ["a", "b"])
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    let found = conflicts(error)
    #expect(found.map(\.constraint) == [["first", "mark"]])
    #expect(found.first?.databaseObject === stored)
    #expect(found.first?.conflictingObjects == [new])
    #expect(found.first?.constraintValues["mark"] as? [String] == ["a", "b"])
    stack.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    new.setValue("L", forKey: "last")
    try stack.context.save()
    #expect(try stack.reread("Person").count == 4)
    #expect(stored.text("last") == "L")
  }

  @Test(
    "SAVE-7 the error policy leaves the new object inserted, and its value can be changed",
    arguments: types
  )
  func errorPolicy(_ type: String) throws {
    let stack = try stack(type)
    _ = stack.make("City", ["code": "B"])
    try stack.context.save()
    let new = stack.make("City", ["code": "B"])
    #expect(throws: NSError.self) { try stack.context.save() }
    #expect(new.isInserted && new.objectID.isTemporaryID)
    new.setValue("C", forKey: "code")
    try stack.context.save()
    #expect(try stack.reread("City").count == 2)
  }

  @Test(
    "SAVE-7 the new object becomes one with the row: by object trump its values are written",
    arguments: types
  )
  func upsert(_ type: String) throws {
    let stack = try stack(type)
    let home = stack.make("City", ["code": "B", "name": "Berlin", "size": 4])
    _ = stack.make("Person", ["first": "Ada", "last": "L", "home": home])
    try stack.context.save()
    let context = stack.container.newBackgroundContext()
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    let new = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
    new.setValue("B", forKey: "code")
    new.setValue("Bärlin", forKey: "name")
    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    person.setValue("Bo", forKey: "first")
    person.setValue(new, forKey: "home")
    try context.save()
    let survivor = try #require(person.value(forKey: "home") as? NSManagedObject)
    #expect(survivor.objectID == home.objectID && new.managedObjectContext == nil)
    let cities = try stack.reread("City")
    #expect(cities.map(\.objectID) == [home.objectID])
    #expect(cities.first?.text("name") == "Bärlin")
    // What the new object did not say stays.
    #expect(cities.first?.int("size") == 4)
    #expect(
      Set(cities.first?.members("people").compactMap { $0.text("first") } ?? []) == ["Ada", "Bo"]
    )
  }

  @Test(
    "SAVE-7 store trump and rollback keep the row and discard the new object; its members move",
    arguments: types,
    [NSMergePolicy.mergeByPropertyStoreTrump, .rollback]
  )
  func storeTrump(_ type: String, _ policy: NSMergePolicy) throws {
    let stack = try stack(type)
    let home = stack.make("City", ["code": "B", "name": "Berlin"])
    try stack.context.save()
    let new = stack.make("City", ["code": "B", "name": "Bonn", "size": 3])
    let person = stack.make("Person", ["first": "Bo", "home": new])
    stack.context.mergePolicy = policy
    try stack.context.save()
    #expect(new.managedObjectContext == nil && home.text("name") == "Berlin")
    #expect(home.value(forKey: "size") == nil || home.int("size") == 0)
    #expect(person.value(forKey: "home") as? NSManagedObject === home)
    #expect(try stack.reread("Person").first?.value(forKey: "home") != nil)
    #expect(try stack.reread("City").count == 1)
  }

  @Test("SAVE-7 several new objects become one, of several attributes too", arguments: types)
  func severalNew(_ type: String) throws {
    let stack = try stack(type)
    stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    for number in 0..<20 {
      let person = stack.make("Person", ["first": "p\(number % 4)", "last": "l\(number % 2)"])
      person.setValue(
        stack.make("City", ["code": "c\(number % 3)", "name": "name\(number)"]),
        forKey: "home"
      )
    }
    try stack.context.save()
    let cities = try stack.reread("City")
    #expect(Set(cities.compactMap { $0.text("code") }) == ["c0", "c1", "c2"] && cities.count == 3)
    #expect(Set(cities.compactMap { $0.text("name") }) == ["name18", "name19", "name17"])
    let people = try stack.reread("Person")
    #expect(people.count == 4 && people.allSatisfy { $0.value(forKey: "home") != nil })
  }

  @Test("SAVE-7 two stored objects: one gives way, by its value or by its row", arguments: types)
  func twoStored(_ type: String) throws {
    let stack = try stack(type)
    let first = stack.make("City", ["code": "A"])
    let second = stack.make("City", ["code": "B"])
    try stack.context.save()
    second.setValue("A", forKey: "code")
    second.setValue("name", forKey: "name")
    stack.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    try stack.context.save()
    #expect(second.text("code") == "B" && second.text("name") == "name")
    second.setValue("A", forKey: "code")
    stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try stack.context.save()
    #expect(first.managedObjectContext == nil)
    let stored = try stack.reread("City")
    #expect(stored.map(\.objectID) == [second.objectID] && stored[0].text("code") == "A")
  }

  @Test("UC-1 nil collides with nothing, and texts are compared by their bytes", arguments: types)
  func nils(_ type: String) throws {
    let stack = try stack(type)
    for _ in 0..<2 { _ = stack.make("City") }
    for code in ["é", "e\u{301}", "E\u{301}"] { _ = stack.make("City", ["code": code]) }
    try stack.context.save()
    for _ in 0..<2 { _ = stack.make("Person", ["first": "Ada"]) }
    try stack.context.save()
    #expect(try stack.reread("City").count == 5)
    #expect(try stack.reread("Person").count == 2)
  }

  @Test("Objects may exchange values, and a deleted object's value is free", arguments: types)
  func exchange(_ type: String) throws {
    let stack = try stack(type)
    let first = stack.make("City", ["code": "A"])
    let second = stack.make("City", ["code": "B"])
    try stack.context.save()
    first.setValue("B", forKey: "code")
    second.setValue("A", forKey: "code")
    try stack.context.save()
    #expect(first.text("code") == "B" && second.text("code") == "A")
    stack.context.delete(first)
    _ = stack.make("City", ["code": "B"])
    try stack.context.save()
    #expect(Set(try stack.reread("City").compactMap { $0.text("code") }) == ["A", "B"])
  }

  @Test("A conflict of versions and one of values are both resolved by one save", arguments: types)
  func both(_ type: String) throws {
    let stack = try stack(type)
    let first = stack.make("City", ["code": "A", "size": 1])
    try stack.context.save()
    let other = stack.container.newBackgroundContext()
    other.object(with: first.objectID).setValue(2, forKey: "size")
    try other.save()
    first.setValue("first", forKey: "name")
    let new = stack.make("City", ["code": "A", "name": "new"])
    stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try stack.context.save()
    #expect(new.managedObjectContext == nil)
    #expect(first.text("name") == "new" && first.int("size") == 2)
  }
}
