// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataSQLite

/// New objects whose unique values a row has already, under policies that resolve: one statement does it.
@Suite struct UpsertTests {
  static let policies: [NSMergePolicyType] = [
    .mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    .rollbackMergePolicyType, .overwriteMergePolicyType,
  ]

  private static func model() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    let item = NSEntityDescription()
    item.name = "Item"
    let size = attribute("size", .integer64AttributeType)
    size.defaultValue = 7
    item.properties = [
      attribute("code", .stringAttributeType), attribute("serial", .integer64AttributeType),
      attribute("name", .stringAttributeType), size,
    ]
    item.uniquenessConstraints = [["code"], ["serial"]]
    let model = NSManagedObjectModel()
    model.entities = [item]
    return model
  }

  private func stack(_ codes: Int) throws -> LibraryStack {
    let stack = try LibraryStack(NSSQLiteStoreType, model: Self.model())
    for number in 0..<codes {
      _ = stack.make("Item", ["code": "\(number)", "name": "stored", "size": number])
    }
    try stack.context.save()
    return stack
  }

  private func insert(
    _ values: [String: Any],
    _ context: NSManagedObjectContext
  ) -> NSManagedObject {
    let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
    for (key, value) in values { item.setValue(value, forKey: key) }
    return item
  }

  @Test(
    "However many rows are met, a save is one transaction of five statements",
    arguments: policies.dropLast()
  )
  func statements(_ type: NSMergePolicyType) throws {
    for count in [10, 300] {
      let stack = try stack(count)
      let context = stack.container.newBackgroundContext()
      context.mergePolicy = NSMergePolicy(merge: type)
      for number in 0..<2 * count { _ = insert(["code": "\(number)", "name": "new"], context) }
      let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
      let before = store.statements.counts
      try context.save()
      let after = store.statements.counts
      #expect(after.started - before.started == 5)
      #expect(after.transactions - before.transactions == 1)
      let items = try stack.reread("Item")
      #expect(items.count == 2 * count)
      let written = items.count { $0.text("name") == "new" }
      #expect(written == (type == .mergeByPropertyObjectTrumpMergePolicyType ? 2 * count : count))
    }
  }

  @Test("The row's object is updated, and is told; the new object leaves")
  func told() throws {
    let stack = try stack(3)
    let context = stack.container.newBackgroundContext()
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let known = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
    let realised = try #require(known.first { $0.text("code") == "1" })
    let did = Posts(context, .NSManagedObjectContextDidSave)
    let new = insert(["code": "1", "name": "new"], context)
    let other = insert(["code": "9"], context)
    try context.save()
    #expect(new.managedObjectContext == nil && !new.isInserted && !context.hasChanges)
    #expect(realised.text("name") == "new" && realised.int("size") == 1 && !realised.hasChanges)
    #expect(did.infos.last?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [realised])
    #expect(did.infos.last?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [other])
    // Its version is known too: the next save meets no conflict.
    context.mergePolicy = NSMergePolicy.error
    realised.setValue("later", forKey: "name")
    try context.save()
    #expect(Set(try stack.reread("Item").compactMap { $0.text("name") }) == ["stored", "later"])
  }

  /// Nobody may be asked about conflicts but a policy that overrides something, and this one does not
  /// change anything.
  private final class Asked: NSMergePolicy, @unchecked Sendable {
    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
      try super.resolve(constraintConflicts: list)
    }
  }

  @Test(
    "What one statement does is what the resolution of the conflicts does",
    arguments: policies,
    1...8 as ClosedRange<UInt64>
  )
  func sameAsResolved(_ type: NSMergePolicyType, _ seed: UInt64) throws {
    var pictures: [[String]] = []
    for policy in [NSMergePolicy(merge: type), Asked(merge: type)] {
      var random = RandomSteps(state: seed)
      let stack = try stack(8)
      let context = stack.container.newBackgroundContext()
      context.mergePolicy = policy
      var picture: [String] = []
      for _ in 0..<6 {
        let held = try random.below(2) == 0 ? [] : items(context)
        if random.below(2) == 0 { held.prefix(4).forEach { _ = $0.text("name") } }
        if random.below(4) == 0 { held.first?.setValue("changed", forKey: "name") }
        if random.below(4) == 0, let last = held.last { context.delete(last) }
        for _ in 0..<random.below(6) {
          var values: [String: Any] = ["code": "\(random.below(14))"]
          if random.below(2) == 0 { values["name"] = "n\(random.below(100))" }
          if random.below(2) == 0 { values["size"] = random.below(100) }
          if random.below(6) == 0 { values["serial"] = random.below(5) }
          let item = insert(values, context)
          if random.below(3) == 0 { item.setPrimitiveValue("primitive", forKey: "name") }
        }
        do {
          try context.save()
        } catch {
          picture.append("\((error as NSError).code)")
          context.rollback()
        }
        #expect(!context.hasChanges)
        let stored = try items(stack.container.newBackgroundContext()).map(Self.picture)
        #expect(try items(context).map(Self.picture) == stored)
        picture += stored
        withExtendedLifetime(held) {}
      }
      pictures.append(picture)
    }
    #expect(pictures[0] == pictures[1])
  }

  private func items(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: true)]
    return try context.fetch(request)
  }

  private static func picture(_ item: NSManagedObject) -> String {
    "\(item.dictionaryWithValues(["code", "serial", "name", "size"]).sorted { $0.key < $1.key })"
  }
}
