// SPDX-License-Identifier: Apache-2.0

import CoreDataCompatibility
import Testing

/// Subclasses as other people's packages declare them, which compile without a warning.
@Suite struct SubclassTests {
  @Test("A merge policy is subclassed without a word about Sendable, and resolves conflicts")
  func mergePolicy() throws {
    let container = NSPersistentContainer(name: "Items", managedObjectModel: Items.model())
    container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.newBackgroundContext()
    let policy = LastWriterPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    context.mergePolicy = policy
    let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
    item.setValue("a", forKey: "name")
    try context.save()
    item.setValue("b", forKey: "name")
    let other = container.newBackgroundContext()
    try other.existingObject(with: item.objectID).setValue("c", forKey: "name")
    try other.save()
    try context.save()
    #expect(policy.resolved == 1)
    other.refreshAllObjects()
    #expect(try other.existingObject(with: item.objectID).value(forKey: "name") as? String == "b")
  }

  @Test("A transformer is subclassed without a word about Sendable")
  func transformer() {
    let transformer = TextTransformer()
    let data = transformer.reverseTransformedValue("ab" as NSString)
    #expect(transformer.transformedValue(data) as? String == "ab")
  }
}

private final class LastWriterPolicy: NSMergePolicy {
  private(set) var resolved = 0

  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    resolved += list.count
    try super.resolve(optimisticLockingConflicts: list)
  }
}

private final class TextTransformer: NSSecureUnarchiveFromDataTransformer {
  override class var allowedTopLevelClasses: [AnyClass] { [NSString.self] }
}
