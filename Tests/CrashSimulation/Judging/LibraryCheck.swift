// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Opens the stores of a crash state with this library, as a program does after a power failure.
package struct LibraryCheck {
  let disk: Disk
  let recording: Recording
  let stores: [StorePaths]
  let keepsHistory: Bool
  let folder: URL

  package init(
    _ disk: Disk,
    _ recording: Recording,
    stores: [StorePaths],
    keepsHistory: Bool,
    folder: URL
  ) {
    self.disk = disk
    self.recording = recording
    self.stores = stores
    self.keepsHistory = keepsHistory
    self.folder = folder
  }

  /// Returns what is wrong with the stores.
  package func violations() -> [String] {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      // A folder that cannot be removed is in the way of nothing.
      defer { try? FileManager.default.removeItem(at: folder) }
      try write()
      return try stores.flatMap { store in
        try violations(of: store).map { "\(store.database): \($0)" }
      }
    } catch {
      return ["the stores cannot be used: \(error)"]
    }
  }

  private func write() throws {
    for (path, node) in disk.tree(recording.folders).sorted(by: { $0.key < $1.key }) {
      let url = folder.appendingPathComponent(path)
      if recording.folders.contains(node) {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      } else {
        let content = (disk.files[node] ?? FileBuffer()).content
        try Data(content).write(to: url)
      }
    }
  }

  private func violations(of store: StorePaths) throws -> [String] {
    let url = folder.appendingPathComponent(store.database)
    let shop = Shop(model: try Self.model(of: url))
    var options: [AnyHashable: Any] = [:]
    // A store that has a history can only be written to with this option.
    options[NSPersistentHistoryTrackingKey] = NSNumber(value: keepsHistory)
    try shop.add(url, options)
    let found = try shop.context.performAndWait {
      var found = try shop.objectViolations()
      if keepsHistory { found += try shop.historyViolations() }
      let item = shop.insert("Item")
      ShopModel.setPhoto(item, 7, 102_500)
      try shop.context.save()
      shop.context.reset()
      return try found + shop.objectViolations()
    }
    try shop.close()
    return found
  }

  /// Returns a line for each object of a store, without what differs from run to run, and for each violation.
  static func objects(in url: URL, keepsHistory: Bool) throws -> [String] {
    let shop = Shop(model: try model(of: url))
    try shop.add(url, [NSPersistentHistoryTrackingKey: NSNumber(value: keepsHistory)])
    let lines = try shop.context.performAndWait {
      try shop.objectViolations() + (keepsHistory ? shop.historyViolations() : []) + shop.lines()
    }
    try shop.close()
    return lines.map { "\(url.lastPathComponent): \($0)" }
  }

  /// Returns what is wrong with the objects and the history of one store.
  static func violations(in url: URL, keepsHistory: Bool) throws -> [String] {
    let shop = Shop(model: try model(of: url))
    try shop.add(url, [NSPersistentHistoryTrackingKey: NSNumber(value: keepsHistory)])
    defer { shop.context.performAndWait { shop.context.reset() } }
    let found = try shop.context.performAndWait {
      try shop.objectViolations() + (keepsHistory ? shop.historyViolations() : [])
    }
    try shop.close()
    return found
  }

  private static func model(of url: URL) throws -> NSManagedObjectModel {
    let new = ShopModel.make(2)
    guard let size = try? Data(contentsOf: url, options: .alwaysMapped).count, size > 0,
      // A store that cannot be read is reported when it is added.
      let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite,
        at: url
      )
    else { return ShopModel.make() }
    let isNew = new.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    return isNew ? new : ShopModel.make()
  }
}

extension Shop {
  /// Returns a line for each object: its attributes and the names of its related objects.
  fileprivate func lines() throws -> [String] {
    func name(_ object: NSManagedObject) -> String {
      ["name", "title", "label"].filter { object.entity.attributesByName[$0] != nil }
        .map { "\(object.value(forKey: $0) ?? "nil")" }.joined()
    }
    var lines: [String] = []
    for entity in coordinator.managedObjectModel.entities where entity.superentity == nil {
      for object in try all(entity.name ?? "") {
        var line = "\(object.entity.name ?? "")"
        for key in object.entity.attributesByName.keys.sorted() where key != "photo" {
          line += " \(object.value(forKey: key) ?? "nil")"
        }
        for (key, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key })
        {
          let names = Self.members(object, key).map(name)
          line +=
            " \(key): \((relationship.isOrdered ? names : names.sorted()).joined(separator: ","))"
        }
        lines.append(line)
      }
    }
    return lines.sorted()
  }

  /// Checks photos, and both sides of each relationship.
  fileprivate func objectViolations() throws -> [String] {
    var found: [String] = []
    for entity in coordinator.managedObjectModel.entities where entity.superentity == nil {
      let name = entity.name ?? ""
      for object in try all(name) {
        if entity.attributesByName["photo"] != nil {
          let size = object.value(forKey: "photoSize") as? Int ?? 0
          let number = object.value(forKey: "number") as? Int ?? 0
          if object.value(forKey: "photo") as? Data != ShopModel.photo(number, size) {
            found.append("\(name) \(number) has another photo than was saved")
          }
        }
        for (key, relationship) in object.entity.relationshipsByName {
          guard let inverse = relationship.inverseRelationship?.name else { continue }
          for other in Self.members(object, key)
          where other.isDeleted || !Self.members(other, inverse).contains(object) {
            found.append("\(name).\(key) has a member that does not lead back")
          }
        }
      }
    }
    return found
  }

  private static func members(_ object: NSManagedObject, _ key: String) -> [NSManagedObject] {
    switch object.value(forKey: key) {
    case let one as NSManagedObject: [one]
    case let many as Set<NSManagedObject>: Array(many)
    case let many as NSOrderedSet: many.array.compactMap { $0 as? NSManagedObject }
    default: []
    }
  }

  /// Checks that each inserted object is there unless it was deleted later, and that transactions are in order.
  fileprivate func historyViolations() throws -> [String] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    var found: [String] = []
    let numbers = transactions.map(\.transactionNumber)
    if numbers != numbers.sorted() { found.append("the transactions are not in order: \(numbers)") }
    var isThere: [NSManagedObjectID: Bool] = [:]
    for change in transactions.flatMap({ $0.changes ?? [] }) {
      isThere[change.changedObjectID] = change.changeType != .delete
    }
    for (id, isThere) in isThere {
      // An object that does not exist is an error here, and the expected result of a deletion.
      let exists = (try? context.existingObject(with: id)) != nil
      if exists != isThere {
        let changes = transactions.flatMap { transaction in
          (transaction.changes ?? []).filter { $0.changedObjectID == id }.map {
            "\(transaction.transactionNumber) \(transaction.author ?? "") \($0.changeType.rawValue)"
          }
        }
        found.append("the history says that \(id) exists: \(isThere): \(changes)")
      }
    }
    return found
  }
}
