// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Where a scenario runs: a recorded folder, the settings of its stores and random numbers.
package final class Stage {
  package let folder: URL
  package let promise: Promise
  package var dice: Dice
  private let recorder: CallRecorder?
  private let fault: Fault?
  /// The stores whose contents are judged.
  package private(set) var stores: [StorePaths] = []
  /// Whether the stores keep a history.
  package var keepsHistory = false
  private let checkpointPages: Int
  /// The fault that is planted in the saves of the scenario.
  let bug: PlantedBug?
  /// A running number, which makes each value of the scenario distinct.
  private var last = 0

  /// Creates a stage that is recorded.
  init(folder: URL, promise: Promise, dice: Dice, recorder: CallRecorder, bug: PlantedBug?) {
    self.folder = folder
    self.promise = promise
    self.dice = dice
    self.recorder = recorder
    fault = nil
    self.bug = bug
    keepsHistory = bug == .historyAfterCommit
    // A small log is checkpointed in the middle of a scenario.
    checkpointPages = [1000, 40, 8][self.dice.below(3)]
  }

  /// Creates a stage on which a call of the system fails.
  init(folder: URL, promise: Promise, dice: Dice, fault: Fault?) {
    self.folder = folder
    self.promise = promise
    self.dice = dice
    recorder = nil
    self.fault = fault
    bug = nil
    checkpointPages = [1000, 40, 8][self.dice.below(3)]
  }

  func next() -> Int {
    last += 1
    return last
  }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// Declares that the store with this name is judged.
  func judge(_ names: String...) { stores += names.map { StorePaths($0) } }

  /// Runs a call that either happens or does not.
  func step(_ name: String, _ body: () throws -> Void) throws {
    if let fault { return try fault.run(name, body) }
    guard let recorder else { return try body() }
    try recorder.step(name, body)
  }

  /// The options of all stores of the scenario.
  func options(migrates: Bool = false) -> [AnyHashable: Any] {
    var pragmas = ["wal_autocheckpoint": "\(checkpointPages)"]
    // A log is the library's own choice.
    if promise.journal == .delete { pragmas["journal_mode"] = promise.journal.rawValue }
    if promise.synchronous != .standard { pragmas["synchronous"] = promise.synchronous.rawValue }
    var options: [AnyHashable: Any] = [NSSQLitePragmasOption: pragmas]
    if keepsHistory { options[NSPersistentHistoryTrackingKey] = NSNumber(value: true) }
    if migrates {
      options[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: true)
      options[NSInferMappingModelAutomaticallyOption] = NSNumber(value: true)
    }
    return options
  }

  /// Adds a store as a step; creates it if it does not exist.
  func open(_ name: String = "Shop.sqlite", version: Int = 1) throws -> Shop {
    let shop = Shop(model: ShopModel.make(version))
    try step("add \(name)") { try shop.add(url(name), options(migrates: version == 2)) }
    if let bug, bug == .historyAfterCommit { try step("plant") { try bug.prepare(url(name)) } }
    return shop
  }

  /// Closes the stores of a coordinator as a step.
  func close(_ shop: Shop) throws {
    try step("close") { try shop.close() }
  }
}

/// A coordinator with a context.
final class Shop {
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext

  init(model: NSManagedObjectModel) {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    context.transactionAuthor = "simulation"
  }

  func add(_ url: URL, _ options: [AnyHashable: Any]) throws {
    try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
  }

  func close() throws {
    context.performAndWait { context.reset() }
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  func insert(_ entity: String) -> NSManagedObject {
    NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
  }

  func all(_ entity: String) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    let key = ["Tag": "label", "Brand": "name"][entity] ?? "number"
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    return try context.fetch(request)
  }
}
