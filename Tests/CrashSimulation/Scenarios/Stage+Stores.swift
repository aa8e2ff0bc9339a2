// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataSQLite
import _CoreDataTools

/// Scenarios in which whole stores change.
extension Stage {
  private func fill(_ name: String, photos: Int, version: Int = 1) throws {
    let shop = try open(name, version: version)
    try save(shop, "objects of \(name)") {
      let category = makeCategory(shop)
      for _ in 0..<3 { makeItem(shop).setValue(category, forKey: "category") }
      for _ in 0..<photos { _ = makeItem(shop, photo: 102_401 + dice.below(2_000)) }
      category.setValue(NSOrderedSet(array: try shop.all("Item")), forKey: "ranking")
    }
    try close(shop)
  }

  private var coordinator: NSPersistentStoreCoordinator {
    NSPersistentStoreCoordinator(managedObjectModel: ShopModel.make())
  }

  /// A store is copied to a new place, and over another store.
  func runReplacement() throws {
    judge("Shop.sqlite", "Copy.sqlite")
    try fill("Shop.sqlite", photos: 2)
    if dice.chance(50) { try fill("Copy.sqlite", photos: 1) }
    for number in 0..<2 {
      try step("replace \(number)") {
        try coordinator.replacePersistentStore(
          at: url("Copy.sqlite"),
          destinationOptions: options(),
          withPersistentStoreFrom: url("Shop.sqlite"),
          sourceOptions: options(),
          type: .sqlite
        )
      }
      let shop = try open("Shop.sqlite")
      try save(shop, "more \(number)") {
        for _ in 0..<2 { try changeSomething(shop) }
        _ = makeItem(shop, photo: photoSize())
      }
      try close(shop)
    }
  }

  /// An open store is saved under another name.
  func runMove() throws {
    judge("Shop.sqlite", "Moved.sqlite")
    if dice.chance(40) { try fill("Moved.sqlite", photos: 1) }
    keepsHistory = dice.chance(30)
    let shop = try open()
    try save(shop, "objects") {
      for _ in 0..<2 { _ = makeItem(shop, photo: photoSize()) }
    }
    try step("move") {
      guard let store = shop.coordinator.persistentStores.first else { return }
      _ = try shop.coordinator.migratePersistentStore(
        store,
        to: url("Moved.sqlite"),
        options: options(),
        type: .sqlite
      )
    }
    try save(shop, "after the move") { _ = makeItem(shop, photo: photoSize()) }
    try close(shop)
  }

  func runDestruction() throws {
    judge("Shop.sqlite")
    for number in 0..<2 {
      try fill("Shop.sqlite", photos: 2)
      try step("destroy \(number)") {
        try coordinator.destroyPersistentStore(
          at: url("Shop.sqlite"),
          type: .sqlite,
          options: options()
        )
      }
    }
  }

  /// Saves that write to two stores.
  func runPair() throws {
    judge("Shop.sqlite", "Second.sqlite")
    let shop = try open()
    try step("add Second.sqlite") { try shop.add(url("Second.sqlite"), options()) }
    for number in 0..<4 {
      try save(shop, "save \(number)") {
        for store in shop.coordinator.persistentStores {
          let item = makeItem(shop, photo: dice.chance(50) ? photoSize() : 0)
          shop.context.assign(item, to: store)
        }
        if number > 1, let item = try shop.all("Item").first {
          item.setValue("renamed \(next())", forKey: "name")
        }
      }
    }
    try close(shop)
  }

  /// Records of a file, fewer than the importer saves at once.
  func runImport() throws {
    judge("Shop.sqlite")
    try fill("Shop.sqlite", photos: 1)
    for number in 0..<2 {
      let file = url("records \(number).json")
      let records = (0..<30 + dice.below(60)).map { _ in
        #"{"$entity":"Category","code":"c\#(dice.below(60))","title":"t\#(next())","photoSize":0}"#
      }
      try Data(("[" + records.joined(separator: ",") + "]").utf8).write(to: file)
      try step("import \(number)") {
        let opened = try OpenedStore(url("Shop.sqlite"), model: nil, isWritable: true)
        _ = try Importer(
          opened,
          file: RecordFile(file, format: .json, entity: nil),
          keys: NaturalKeys(opened.model),
          options: .init()
        ).run()
      }
    }
  }

  /// A store is opened with a newer model, and used.
  func runMigration() throws {
    judge("Shop.sqlite")
    keepsHistory = dice.chance(50)
    try fill("Shop.sqlite", photos: 2)
    let shop = try open("Shop.sqlite", version: 2)
    try save(shop, "after the migration") {
      shop.insert("Brand").setValue("brand", forKey: "name")
      try changeSomething(shop)
      _ = makeItem(shop, photo: photoSize())
    }
    try close(shop)
  }

  /// A manager copies a store, with a newer model, to a new place.
  func runMapping() throws {
    judge("Shop.sqlite", "New.sqlite")
    try fill("Shop.sqlite", photos: 2)
    let (old, new) = (ShopModel.make(), ShopModel.make(2))
    let isInPlace = dice.chance(50)
    try step("migrate by a manager") {
      // If all calls fail, the finished store cannot be removed again; a second migration would add to it.
      for suffix in ["", "-wal", "-shm"] { unlink(url("New.sqlite").path + suffix) }
      let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
      manager.usesStoreSpecificMigrationManager = isInPlace
      try manager.migrateStore(
        from: url("Shop.sqlite"),
        type: .sqlite,
        options: options(),
        mapping: NSMappingModel.inferredMappingModel(
          forSourceModel: old,
          destinationModel: new
        ),
        to: url("New.sqlite"),
        type: .sqlite,
        options: options()
      )
    }
    let shop = try open("New.sqlite", version: 2)
    try save(shop, "after the migration") { _ = makeItem(shop, photo: photoSize()) }
    try close(shop)
  }

  /// A file with free pages is made smaller when it is opened.
  func runVacuum() throws {
    judge("Shop.sqlite")
    let shop = try open()
    try save(shop, "many objects") {
      for _ in 0..<150 {
        makeItem(shop).setValue(String(repeating: "x", count: 300), forKey: "name")
      }
    }
    try save(shop, "many deletions") {
      for item in try shop.all("Item").dropFirst(20) { shop.context.delete(item) }
    }
    try close(shop)
    let again = Shop(model: ShopModel.make())
    var options = options()
    options[NSSQLiteManualVacuumOption] = NSNumber(value: true)
    try step("vacuum") { try again.add(url("Shop.sqlite"), options) }
    try save(again, "after the vacuum") { _ = makeItem(again) }
    try close(again)
  }

  /// Equal order values, and a file of a large value that no row needs, are repaired.
  func runRepair() throws {
    judge("Shop.sqlite")
    try fill("Shop.sqlite", photos: 2)
    let file = StorePaths("Shop.sqlite").values + "/8C1B6A3E-3D0B-4B52-A1A3-0D8E5DA1B001"
    try step("damage") {
      try PlantedBug.run("UPDATE Z_1RANKING SET Z_FOK_2RANKING = 7", url("Shop.sqlite"))
      try Data("unused".utf8).write(to: url(file))
    }
    try step("repair") {
      let path = url("Shop.sqlite").path
      let treatment = try Treatment(path: path, storedModel(path))
      _ = try treatment.repair(backup: treatment.backupPath)
    }
    let path = url("Shop.sqlite").path
    let findings = try Doctor(
      StoreFile(path: path, access: .untouched),
      storedModel(path)
    ).examine { _ in }
    if let finding = findings.first(where: { $0.severity != .hint }) {
      throw SimulationError("not repaired: \(finding.check) \(finding.message)")
    }
    let shop = try open()
    try save(shop, "after the repair") { _ = makeItem(shop, photo: photoSize()) }
    try close(shop)
  }

  private func storedModel(_ path: String) throws -> LoadedModel {
    try ModelOpening.model(for: StoreFile(path: path, access: .untouched), model: nil)
  }

  /// A finished file is renamed to the name of a store.
  func runSeed() throws {
    judge("Shop.sqlite", "Seed.sqlite")
    try fill("Seed.sqlite", photos: 0)
    if dice.chance(70) { try fill("Shop.sqlite", photos: 2) }
    for number in 0..<2 {
      try step("replace by renaming \(number)") {
        let place = StoreFiles(path: url("Shop.sqlite").path, timeout: 5)
        let finished = place.unfinishedPath
        try StoreFile(path: url("Seed.sqlite").path, access: .readWrite).copy(to: finished)
        try place.replace(byRenaming: finished)
      }
      let shop = try open()
      try save(shop, "after the replacement \(number)") {
        _ = makeItem(shop, photo: photoSize())
        try changeSomething(shop)
      }
      // A process that ends without closing the store leaves the log.
      if dice.chance(50) { try close(shop) }
    }
  }
}
