// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// The model of the writers, and containers with a store of it.
enum DatabaseModel {
  private static func attribute(
    _ name: String,
    _ type: NSAttributeType
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }

  private static func entity(
    _ name: String,
    _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  /// Counters, accounts, ordered lists, and registers whose text is a list.
  static func make() -> NSManagedObjectModel {
    let entry = entity("Entry", [attribute("text", .stringAttributeType)])
    let list = entity("List", [attribute("name", .stringAttributeType)])
    let entries = NSRelationshipDescription()
    entries.name = "entries"
    entries.destinationEntity = entry
    entries.isOrdered = true
    entries.isOptional = true
    let owner = NSRelationshipDescription()
    owner.name = "list"
    owner.destinationEntity = list
    owner.maxCount = 1
    owner.isOptional = true
    entries.inverseRelationship = owner
    owner.inverseRelationship = entries
    entry.properties.append(owner)
    list.properties.append(entries)
    let register = entity(
      "Register",
      [attribute("number", .integer64AttributeType), attribute("items", .stringAttributeType)]
    )
    register.uniquenessConstraints = [["number"]]
    let model = NSManagedObjectModel()
    model.entities = [
      entity(
        "Counter",
        [attribute("name", .stringAttributeType), attribute("value", .integer64AttributeType)]
      ),
      entity(
        "Account",
        [attribute("name", .stringAttributeType), attribute("amount", .integer64AttributeType)]
      ),
      list, entry, register,
    ]
    return model
  }

  /// Returns a container; `STANDBY_READS` lets its store read from standby servers.
  ///
  /// A store that is live records its history and posts the changes of other processes.
  static func container(_ url: String, isLive: Bool = false) throws -> NSPersistentContainer {
    let environment = ProcessInfo.processInfo.environment
    let container = NSPersistentContainer(name: "Writers", managedObjectModel: make())
    guard let url = URL(string: url) else { throw WriterError(text: "the URL cannot be read") }
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(
      (environment["STANDBY_READS"] != nil) as NSNumber,
      forKey: PostgreSQLStandbyReadsOption
    )
    if let seconds = environment["TIMEOUT"].flatMap(Double.init) {
      description.setOption(seconds as NSNumber, forKey: NSPersistentStoreTimeoutOption)
    }
    if isLive {
      for key in [
        NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey,
      ] {
        description.setOption(true as NSNumber, forKey: key)
      }
    }
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }
}

struct WriterError: Error, CustomStringConvertible {
  let text: String
  var description: String { text }
}

extension NSManagedObjectContext {
  /// Returns the objects of an entity whose attribute is one of the values, in the order of the values.
  func objects(
    _ entity: String,
    _ key: String,
    _ values: [some Hashable]
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(format: "%K IN %@", key, values)
    let found = try fetch(request)
    return try values.map { value in
      let object = found.first { $0.value(forKey: key) as? AnyHashable == AnyHashable(value) }
      guard let object else { throw WriterError(text: "\(entity) \(value) is missing") }
      return object
    }
  }

  func all(_ entity: String, by key: String) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    return try fetch(request)
  }
}
