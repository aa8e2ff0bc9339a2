// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Foundation

/// A list with sections whose delegate plays each change in a table, while another context saves 100 changes at a time.
final class LiveListWork: EnduranceWork {
  let name = "live list"
  let limit = 16
  private static let rowCount = 2_000
  private static let changes = 100

  private let shop = Shop(model: ShopModel.make())
  private let view: NSManagedObjectContext
  private let controller: NSFetchedResultsController<NSManagedObject>
  private let table = TableMirror()
  private var rows: [NSManagedObject] = []
  private var dice: Dice
  private var number = 0
  private var changeCount = 0
  private var roundCount = 0

  init(_ folder: URL, seed: UInt64) throws {
    dice = Dice(seed)
    try shop.add(folder.appendingPathComponent("List.sqlite"), [:])
    view = NSManagedObjectContext(.privateQueue)
    view.persistentStoreCoordinator = shop.coordinator
    view.automaticallyMergesChangesFromParent = true
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.sortDescriptors = [
      NSSortDescriptor(key: "name", ascending: true),
      NSSortDescriptor(key: "number", ascending: true),
    ]
    controller = NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: view,
      sectionNameKeyPath: "name",
      cacheName: nil
    )
    try shop.context.performAndWait {
      for _ in 0..<Self.rowCount { insert() }
      try shop.context.save()
    }
    try view.performAndWait {
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
    }
  }

  private func place(_ item: NSManagedObject) {
    number += 1
    item.setValue("section \(dice.below(20))", forKey: "name")
    item.setValue(dice.below(1_000_000), forKey: "number")
  }

  private func insert() {
    let item = shop.insert("Item")
    place(item)
    rows.append(item)
  }

  func warmUp(isLong: Bool) throws {
    for _ in 0..<(isLong ? 100 : 1) { try turn() }
  }

  /// Inserts, deletes, moves and updates rows, and saves; the list then follows.
  func turn() throws {
    try shop.context.performAndWait {
      for change in 0..<Self.changes {
        switch change % 4 {
        case 0: insert()
        case 1:
          let index = dice.below(rows.count)
          rows.swapAt(index, rows.count - 1)
          shop.context.delete(rows.removeLast())
        case 2: place(rows[dice.below(rows.count)])
        default: rows[dice.below(rows.count)].setValue(change, forKey: "photoSize")
        }
      }
      try shop.context.save()
    }
    changeCount += Self.changes
    try wait()
  }

  /// Waits for the merge of the last save, which is in the queue of the list's context.
  func wait() throws {
    try view.performAndWait {
      view.processPendingChanges()
      if let failure = table.failures.first { throw failure }
      roundCount += table.rounds.count
      table.forgetRounds()
    }
  }

  func violations() throws -> [String] {
    try view.performAndWait {
      try table.check(controller)
      let request = controller.fetchRequest
      let stored = try view.fetch(request)
      let shown = controller.fetchedObjects ?? []
      return stored == shown && stored.count == Self.rowCount
        ? [] : ["the list has \(shown.count) rows, the store \(stored.count), or in another order"]
    }
  }

  var done: String {
    "\(changeCount) changes, \(roundCount) rounds of a list with \(Self.rowCount) rows"
  }
}
