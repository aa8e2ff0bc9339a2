// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// What a program does with its stores before the power fails.
package enum Scenario: String, CaseIterable, Sendable {
  case saves, large, links, files, batches, history, upserts, retry
  case replacement, move, destruction, pair, importing, migration, mapping, vacuum, seed, mixed
  case repair

  /// The settings under which the scenario runs if not those of the round: the command's functions open stores
  /// with the settings of the library.
  package var ownPromise: Promise? {
    self == .importing || self == .repair ? Promise(.wal, .standard) : nil
  }

  package func run(_ stage: Stage) throws {
    switch self {
    case .saves: try stage.runSaves(3 + stage.dice.below(4))
    case .large: try stage.runLarge()
    case .links: try stage.runLinks()
    case .files: try stage.runFiles(5 + stage.dice.below(4))
    case .batches: try stage.runBatches()
    case .history: try stage.runHistory()
    case .upserts: try stage.runUpserts()
    case .retry: try stage.runRetry()
    case .replacement: try stage.runReplacement()
    case .move: try stage.runMove()
    case .destruction: try stage.runDestruction()
    case .pair: try stage.runPair()
    case .importing: try stage.runImport()
    case .migration: try stage.runMigration()
    case .mapping: try stage.runMapping()
    case .vacuum: try stage.runVacuum()
    case .seed: try stage.runSeed()
    case .mixed: try stage.runMixed()
    case .repair: try stage.runRepair()
    }
  }
}

extension Stage {
  /// Changes objects, and then saves them as a step.
  ///
  /// A save that fails leaves all changes unsaved, unless it has committed in one of several stores.
  func save(_ shop: Shop, _ name: String, _ change: () throws -> Void) throws {
    try shop.context.performAndWait {
      try change()
      var count = 0
      try step(name) {
        // The delete rules, which read members, may add objects.
        let left = shop.context.unsavedCount
        if left < count, shop.coordinator.persistentStores.count == 1 {
          throw SimulationError("\(left) of \(count) unsaved objects are left")
        }
        shop.context.processPendingChanges()
        count = shop.context.unsavedCount
        if let bug { try bug.save(shop) } else { try shop.context.save() }
      }
    }
  }

  func makeItem(_ shop: Shop, photo size: Int = 0) -> NSManagedObject {
    let item = shop.insert(dice.chance(30) ? "Gadget" : "Item")
    let number = next()
    item.setValue("item \(number)", forKey: "name")
    ShopModel.setPhoto(item, number, size)
    return item
  }

  func makeCategory(_ shop: Shop, code: String? = nil) -> NSManagedObject {
    let category = shop.insert("Category")
    let number = next()
    category.setValue(code ?? "code \(number)", forKey: "code")
    category.setValue("category \(number)", forKey: "title")
    ShopModel.setPhoto(category, number, 0)
    return category
  }

  /// A size above the limit for values in rows, or below it.
  func photoSize() -> Int { dice.chance(75) ? 102_401 + dice.below(5_000) : 1 + dice.below(2_000) }

  /// One random change; all kinds of changes that a save can contain.
  func changeSomething(_ shop: Shop) throws {
    let items = try shop.all("Item")
    let chosen = items.isEmpty ? nil : items[dice.below(items.count)]
    switch dice.below(9) {
    case 0: _ = makeItem(shop)
    case 1: _ = makeItem(shop, photo: photoSize())
    case 2: chosen.map { shop.context.delete($0) }
    case 3: chosen?.setValue("renamed \(next())", forKey: "name")
    case 4:
      if let chosen { ShopModel.setPhoto(chosen, next(), photoSize()) }
    case 5:
      if let chosen { ShopModel.setPhoto(chosen, next(), 0) }
    case 6:
      let category = try shop.all("Category").first ?? makeCategory(shop)
      chosen?.setValue(category, forKey: "category")
    case 7:
      let tag = shop.insert("Tag")
      tag.setValue("tag \(next())", forKey: "label")
      tag.setValue(Set(items.prefix(dice.below(5))), forKey: "items")
    default:
      let category = try shop.all("Category").last ?? makeCategory(shop)
      category.setValue(NSOrderedSet(array: items.shuffled(using: &dice)), forKey: "ranking")
    }
  }
}

extension NSManagedObjectContext {
  fileprivate var unsavedCount: Int {
    insertedObjects.count + updatedObjects.count + deletedObjects.count
  }
}
