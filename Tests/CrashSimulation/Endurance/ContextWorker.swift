// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// The work of one of many contexts, in the context's queue.
final class ContextWorker: @unchecked Sendable {
  // Unchecked: only blocks in the context's queue use the variables.
  let context: NSManagedObjectContext
  private let number: Int
  private var dice: Dice
  private var turns = 0
  private static let itemLimit = 400

  init(_ coordinator: NSPersistentStoreCoordinator, number: Int, seed: UInt64) {
    self.number = number
    dice = Dice(seed)
    context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    context.transactionAuthor = "context \(number)"
    context.mergePolicy =
      [
        NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
      ][number / 2 % 4]
    // Every eighth context follows the others.
    context.automaticallyMergesChangesFromParent = number % 8 == 0
    if number % 8 == 1 {
      let manager = UndoManager()
      // Large values in a long undo stack would change memory by megabytes from one sample to the next.
      manager.levelsOfUndo = 2
      context.undoManager = manager
    }
  }

  /// Changes objects and saves; returns false if the store refused the save.
  func work() throws -> Bool {
    turns += 1
    if turns % 20 == 0 { context.reset() }
    if turns % 50 == 0 { try deleteHistory() }
    switch dice.below(8) {
    case 0: return try refusedSave()
    case 1: try saveInChild()
    case 2: try change(links)
    case 3: try change(photo)
    case 4: try batches()
    case 5: try change(values)
    default: try change(insertAndDelete)
    }
    return true
  }

  private func change(_ body: (NSManagedObjectContext) throws -> Void) throws {
    try body(context)
    try context.save()
  }

  private func some(
    _ entity: String,
    _ limit: Int,
    in context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(format: "number >= %d", dice.below(900))
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    request.fetchLimit = limit
    return try context.fetch(request)
  }

  // MARK: Changes

  private func insertAndDelete(_ context: NSManagedObjectContext) throws {
    let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item"))
    if count > Self.itemLimit {
      for item in try some("Item", 4, in: context) { context.delete(item) }
    } else {
      for _ in 0..<4 {
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue("item of \(number)", forKey: "name")
        ShopModel.setPhoto(item, dice.below(1_000), 0)
      }
    }
  }

  private func values(_ context: NSManagedObjectContext) throws {
    for item in try some("Item", 5, in: context) {
      item.setValue("turn \(turns) of \(number)", forKey: "name")
    }
  }

  /// A large value written, or replaced or removed.
  private func photo(_ context: NSManagedObjectContext) throws {
    for item in try some("Item", 1, in: context) {
      ShopModel.setPhoto(item, dice.below(1_000), dice.chance(40) ? 102_401 : dice.below(2_000))
    }
  }

  private func links(_ context: NSManagedObjectContext) throws {
    let items = try some("Item", 6, in: context)
    if let category = try some("Category", 1, in: context).first {
      category.setValue(NSOrderedSet(array: items.reversed()), forKey: "ranking")
      items.first?.setValue(category, forKey: "category")
    } else {
      let code = dice.below(20)
      let category = NSEntityDescription.insertNewObject(forEntityName: "Category", into: context)
      category.setValue("code \(code)", forKey: "code")
      ShopModel.setPhoto(category, 900 + code, 0)
    }
  }

  /// Two objects with one unique value, which no policy but `error` accepts silently.
  private func refusedSave() throws -> Bool {
    let policy = context.mergePolicy
    defer { context.mergePolicy = policy }
    context.mergePolicy = NSMergePolicy.error
    for _ in 0..<2 {
      let category = NSEntityDescription.insertNewObject(forEntityName: "Category", into: context)
      category.setValue("refused", forKey: "code")
    }
    do {
      try context.save()
      throw SimulationError("a save with two equal unique values was not refused")
    } catch let error as NSError where error.code == NSManagedObjectConstraintMergeError {
      context.rollback()
      return false
    }
  }

  private func saveInChild() throws {
    let child = NSManagedObjectContext(.privateQueue)
    child.parent = context
    try child.performAndWait {
      try values(child)
      try child.save()
    }
    try context.save()
  }

  private func batches() throws {
    let low = dice.below(1_000)
    let update = NSBatchUpdateRequest(entityName: "Item")
    update.predicate = NSPredicate(format: "number >= %d AND number < %d", low, low + 5)
    update.propertiesToUpdate = ["name": "batch \(turns) of \(number)"]
    _ = try context.execute(update)
    let rows = [["name": "batch", "number": dice.below(1_000), "photoSize": 0] as [String: Any]]
    _ = try context.execute(NSBatchInsertRequest(entityName: "Item", objects: rows))
  }

  private func deleteHistory() throws {
    let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
    _ = try context.execute(request)
  }
}
