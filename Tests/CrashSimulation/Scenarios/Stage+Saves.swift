// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

extension Stage {
  func runSaves(_ count: Int) throws {
    judge("Shop.sqlite")
    let shop = try open()
    try save(shop, "first objects") { for _ in 0..<3 { _ = makeItem(shop) } }
    for number in 0..<count {
      try save(shop, "save \(number)") {
        for _ in 0...dice.below(3) { try changeSomething(shop) }
      }
    }
    try close(shop)
  }

  /// Saves of hundreds of rows, which need more pages than a small log has.
  func runLarge() throws {
    judge("Shop.sqlite")
    let shop = try open()
    try save(shop, "many objects") {
      let categories = (0..<4).map { _ in makeCategory(shop) }
      for number in 0..<200 + dice.below(150) {
        makeItem(shop).setValue(categories[number % 4], forKey: "category")
      }
    }
    try save(shop, "many changes") {
      for item in try shop.all("Item") where dice.chance(60) {
        item.setValue(String(repeating: "x", count: dice.below(300)), forKey: "name")
      }
    }
    try save(shop, "many deletions") {
      for item in try shop.all("Item") where dice.chance(70) { shop.context.delete(item) }
    }
    try close(shop)
  }

  /// To-ones, many-to-manys and ordered to-manys, made and changed.
  func runLinks() throws {
    judge("Shop.sqlite")
    let shop = try open()
    try save(shop, "objects") {
      for _ in 0..<6 { _ = makeItem(shop) }
      for _ in 0..<2 { _ = makeCategory(shop) }
      for _ in 0..<3 { shop.insert("Tag").setValue("tag \(next())", forKey: "label") }
    }
    for number in 0..<5 {
      try save(shop, "links \(number)") {
        let items = try shop.all("Item")
        for category in try shop.all("Category") {
          let chosen = items.filter { _ in dice.chance(50) }.shuffled(using: &dice)
          category.setValue(NSOrderedSet(array: chosen), forKey: "ranking")
          for item in items where dice.chance(30) { item.setValue(category, forKey: "category") }
        }
        for tag in try shop.all("Tag") {
          tag.setValue(Set(items.filter { _ in dice.chance(50) }), forKey: "items")
        }
        if number == 3, let item = items.first { shop.context.delete(item) }
      }
    }
    try close(shop)
  }

  /// Large values written, replaced and removed.
  func runFiles(_ count: Int) throws {
    judge("Shop.sqlite")
    var shop = try open()
    try save(shop, "plain object") { _ = makeItem(shop) }
    try save(shop, "first photo") { _ = makeItem(shop, photo: 102_401) }
    for number in 0..<count {
      try save(shop, "photos \(number)") {
        let items = try shop.all("Item")
        for item in items where dice.chance(40) {
          ShopModel.setPhoto(item, next(), dice.chance(20) ? 0 : photoSize())
        }
        if dice.chance(30), let item = items.last { shop.context.delete(item) }
        if items.count < 4 { _ = makeItem(shop, photo: photoSize()) }
      }
      // The next opening makes a new log, in a folder whose large values exist already.
      if dice.chance(25) {
        try close(shop)
        shop = try open()
        try save(shop, "deletion in the new log \(number)") {
          try shop.all("Item").last { $0.value(forKey: "photoSize") as? Int ?? 0 > 102_400 }
            .map { shop.context.delete($0) }
        }
      }
    }
    try close(shop)
  }

  func runBatches() throws {
    judge("Shop.sqlite")
    keepsHistory = dice.chance(50)
    let shop = try open()
    try save(shop, "objects") { for _ in 0..<4 { _ = makeItem(shop, photo: 102_401) } }
    func execute(_ name: String, _ request: NSPersistentStoreRequest) throws {
      try shop.context.performAndWait {
        try step(name) { _ = try shop.context.execute(request) }
      }
    }
    for _ in 0..<2 {
      let rows = (0..<5).map { _ -> [String: Any] in
        let number = next()
        let size = dice.chance(40) ? photoSize() : 0
        var row: [String: Any] = ["name": "batch \(number)", "number": number, "photoSize": size]
        row["photo"] = ShopModel.photo(number, size)
        return row
      }
      try execute("batch insertion", NSBatchInsertRequest(entityName: "Item", objects: rows))
      let update = NSBatchUpdateRequest(entityName: "Item")
      update.propertiesToUpdate = ["name": "updated \(next())"]
      update.predicate = NSPredicate(format: "number > %d", dice.below(6))
      try execute("batch update", update)
      let clearing = NSBatchUpdateRequest(entityName: "Item")
      clearing.propertiesToUpdate = ["photo": NSNull(), "photoSize": 0]
      clearing.predicate = NSPredicate(format: "number == %d", 1 + dice.below(8))
      try execute("batch update of photos", clearing)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
      request.predicate = NSPredicate(format: "number < %d", dice.below(8))
      try execute("batch deletion", NSBatchDeleteRequest(fetchRequest: request))
    }
    try close(shop)
  }

  func runHistory() throws {
    judge("Shop.sqlite")
    let first = try open()
    try save(first, "before the history") { _ = makeItem(first) }
    try close(first)
    keepsHistory = true
    let shop = try open()
    for number in 0..<6 {
      try save(shop, "save \(number)") { try changeSomething(shop) }
      guard number % 3 == 2 else { continue }
      try shop.context.performAndWait {
        try step("deletion of history") {
          let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
          _ = try shop.context.execute(request)
        }
      }
    }
    try close(shop)
  }

  /// Saves that overwrite rows with equal unique values, also with their photos.
  func runUpserts() throws {
    judge("Shop.sqlite")
    keepsHistory = dice.chance(50)
    let shop = try open()
    shop.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    for number in 0..<6 {
      try save(shop, "upserts \(number)") {
        for _ in 0...dice.below(3) {
          // An upsert keeps the values that were not set, so photo and size are always set together.
          let category = makeCategory(shop, code: "code \(dice.below(3))")
          ShopModel.setPhoto(category, next(), photoSize())
        }
      }
    }
    try close(shop)
  }

  /// A save with a photo fails, and a later one succeeds; the folders of photos exist from the first.
  func runRetry() throws {
    judge("Shop.sqlite")
    let shop = try open()
    try save(shop, "category") { _ = makeCategory(shop, code: "one") }
    shop.context.mergePolicy = NSMergePolicy.error
    for number in 0..<2 {
      try shop.context.performAndWait {
        _ = makeItem(shop, photo: photoSize())
        _ = makeCategory(shop, code: "one")
        try step("refused save \(number)") {
          do {
            try shop.context.save()
            throw CocoaError(.featureUnsupported)
          } catch let error as NSError where error.code == NSManagedObjectConstraintMergeError {
            shop.context.rollback()
          }
        }
      }
      try save(shop, "photo \(number)") { _ = makeItem(shop, photo: photoSize()) }
    }
    try close(shop)
  }

  /// Everything that one store can go through, in random order.
  func runMixed() throws {
    judge("Shop.sqlite")
    if dice.chance(50) { keepsHistory = true }
    var shop = try open()
    for number in 0..<10 {
      try save(shop, "save \(number)") {
        for _ in 0...dice.below(4) { try changeSomething(shop) }
      }
      if dice.chance(20) {
        try close(shop)
        shop = try open()
      }
    }
    try close(shop)
  }
}
