// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the fetch request of a history request selects; raw values are the entity names that Apple uses.
enum HistoryEntity: String {
  case transaction = "TRANSACTION"
  case change = "CHANGE"

  /// A new entity description that belongs to no model.
  var description: NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = rawValue
    let attributes: [(String, NSAttributeType)] =
      switch self {
      case .transaction:
        [
          ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
          ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
          ("timestamp", .dateAttributeType), ("token", .undefinedAttributeType),
          ("transactionNumber", .integer64AttributeType),
        ]
      case .change:
        [
          ("changeID", .integer64AttributeType), ("changeType", .integer64AttributeType),
          ("changedObjectID", .objectIDAttributeType),
          ("changedEntity", .undefinedAttributeType), ("tombstone", .undefinedAttributeType),
          ("transaction", .undefinedAttributeType),
          ("updatedProperties", .undefinedAttributeType),
        ]
      }
    entity.properties = attributes.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    return entity
  }

  var fetchRequest: NSFetchRequest<NSFetchRequestResult> {
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = description
    return request
  }

  /// Creates the value for the entity of a fetch request.
  ///
  /// - Throws: 134060 if the request is neither for transactions nor for changes.
  init(of request: NSFetchRequest<NSFetchRequestResult>) throws {
    guard let entity = request.entityName.flatMap(HistoryEntity.init) else {
      throw coreDataError(
        NSCoreDataError,
        "The history request cannot be executed.",
        "The request's fetchRequest "
          + (request.entityName.map { "is for “\($0)”, which is not an entity of the history" }
            ?? "has no entity")
          + ". Use the class property fetchRequest or entityDescription of NSPersistentHistoryTransaction or "
          + "NSPersistentHistoryChange."
      )
    }
    self = entity
  }
}
