// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// What a transaction did to one object.
///
/// History requests give changes; programs make none.
/// Source: documented, “NSPersistentHistoryChange”.
open class NSPersistentHistoryChange: NSObject, NSCopying {
  private let content: HistoryChange
  private let model: FrozenModel
  /// Its transaction, without its changes; known to predicates in every case.
  private let origin: NSPersistentHistoryTransaction
  private let tellsTransaction: Bool
  /// The one among whose changes this is.
  private weak var owner: NSPersistentHistoryTransaction?

  init(
    _ content: HistoryChange,
    of store: NSPersistentStore,
    in model: FrozenModel,
    owner: NSPersistentHistoryTransaction,
    tellsTransaction: Bool
  ) {
    self.content = content
    self.model = model
    self.owner = owner
    self.tellsTransaction = tellsTransaction
    origin = NSPersistentHistoryTransaction(
      owner.content,
      storeID: owner.storeID,
      token: owner.token
    )
    changedObjectID = NSManagedObjectID(
      key: content.key,
      entity: model.entities[content.key.entity],
      store: store
    )
    super.init()
  }

  /// The object, which need not exist any more.
  public let changedObjectID: NSManagedObjectID
  /// The change's number, which grows with each change of the store.
  open var changeID: Int64 { content.id }
  /// What happened to the object.
  open var changeType: NSPersistentHistoryChangeType {
    switch content.kind {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }
  /// Of an update: what has changed, to-manys included; nil for an insertion and a deletion.
  open var updatedProperties: Set<NSPropertyDescription>? {
    guard content.kind == .update else { return nil }
    let properties = model.properties[content.key.entity]
    return Set(content.updated.map { properties[$0] })
  }
  /// Of a deletion: by name the values of the attributes that outlive their object
  /// (`preservesValueInHistoryOnDeletion`) and were not nil; nil for other changes.
  ///
  /// Values of external storage are not kept.
  open var tombstone: [AnyHashable: Any]? {
    guard content.kind == .delete else { return nil }
    let properties = model.definition.entities[content.key.entity].properties
    var values: [AnyHashable: Any] = [:]
    for (slot, value) in content.tombstone {
      let property = properties[slot]
      if case .data(let bytes) = value, property.attribute?.type == .transformable {
        values[property.name] = Transformable.object(from: bytes, property)
      } else {
        values[property.name] = AttributeValue.any(value)
      }
    }
    return values
  }
  /// The transaction; nil where the request asked for changes alone.
  ///
  /// Once the transaction that has this change is gone, one without changes.
  open var transaction: NSPersistentHistoryTransaction? {
    tellsTransaction ? owner ?? origin : nil
  }

  /// The change's number, the object, and what happened to it.
  open override var description: String {
    var text =
      "\(addressedName) changeID: \(changeID) changedObjectID: \(changedObjectID) changeType: "
    switch changeType {
    case .insert: text += "insert"
    case .update:
      text += "update updatedProperties: "
      text += DescribedValues.array((updatedProperties ?? []).map(\.name).sorted())
    case .delete: text += "delete tombstone: \(DescribedValues.dictionary(tombstone))"
    }
    return text
  }

  /// The same change: changes do not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Requests

  /// What can be asked of changes: `changeID`, `changeType`, `changedObjectID`, `changedEntity`,
  /// `updatedProperties`, `tombstone`, `transaction` and its properties.
  open class var entityDescription: NSEntityDescription? { HistoryEntity.change.description }
  /// The same; the context does not matter.
  open class func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }
  /// A new request for changes, to give a predicate to.
  open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntity.change.fetchRequest
  }
}

extension NSPersistentHistoryChange: KeyValueReadable {
  /// What predicates and orders ask for.
  public func value(forKey key: String) throws -> Any? {
    switch key {
    case "changeID": changeID
    case "changeType": changeType.rawValue
    case "changedObjectID": changedObjectID
    case "changedEntity": changedObjectID.entity
    case "updatedProperties": updatedProperties
    case "tombstone": tombstone
    case "transaction": origin
    default: throw UndefinedKey(key)
    }
  }
}
