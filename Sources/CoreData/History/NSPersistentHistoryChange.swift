// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The change that a transaction made to one object.
///
/// History requests return changes; programs do not create changes.
///
/// Source: documented, “NSPersistentHistoryChange”.
open class NSPersistentHistoryChange: NSObject, NSCopying {
  private let content: HistoryChange
  private let model: FrozenModel
  /// A copy of the transaction without changes, for predicates and for use after `owner` has been released.
  private let origin: NSPersistentHistoryTransaction
  private let includesTransaction: Bool
  /// Weak to avoid a retain cycle, because the `changes` of the transaction retain this change.
  private weak var owner: NSPersistentHistoryTransaction?

  init(
    _ content: HistoryChange,
    of store: NSPersistentStore,
    in model: FrozenModel,
    owner: NSPersistentHistoryTransaction,
    includesTransaction: Bool
  ) {
    self.content = content
    self.model = model
    self.owner = owner
    self.includesTransaction = includesTransaction
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

  /// The ID of the changed object, which may have been deleted since.
  public let changedObjectID: NSManagedObjectID
  /// The number of the change; later changes of the store have greater numbers.
  open var changeID: Int64 { content.id }
  /// Whether the object was inserted, updated or deleted.
  open var changeType: NSPersistentHistoryChangeType {
    switch content.kind {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }
  /// The properties that an update changed, including to-manys; nil for an insertion or deletion.
  open var updatedProperties: Set<NSPropertyDescription>? {
    guard content.kind == .update else { return nil }
    let properties = model.properties[content.key.entity]
    return Set(content.updated.map { properties[$0] })
  }
  /// The preserved attribute values of a deleted object by name; nil for an insertion or update.
  ///
  /// Contains the non-nil values of attributes with `preservesValueInHistoryOnDeletion`, except the values of
  /// composite attributes and of attributes with external storage.
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
  /// The transaction that made the change; nil if the request's result type is `changesOnly`.
  ///
  /// If the transaction in the request's result has been released, returns a copy whose `changes` are nil.
  open var transaction: NSPersistentHistoryTransaction? {
    includesTransaction ? owner ?? origin : nil
  }

  /// The number and kind of the change, the object's ID, and the updated properties or the tombstone.
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

  /// Returns the change itself, because a program cannot modify it.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Requests

  /// The entity for fetch requests that select changes; never nil.
  ///
  /// The attributes are `changeID`, `changeType`, `changedObjectID`, `changedEntity`, `updatedProperties`,
  /// `tombstone` and `transaction`. Predicates and sort descriptors can also use key paths such as
  /// `transaction.author`.
  open class var entityDescription: NSEntityDescription? { HistoryEntity.change.description }
  /// Returns `entityDescription`; `context` is ignored.
  open class func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }
  /// A new request for changes, to which a predicate can be added; never nil.
  open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntity.change.fetchRequest
  }
}

extension NSPersistentHistoryChange: KeyValueReadable {
  /// Returns the value of an attribute for predicates and sort descriptors.
  ///
  /// The value of `changeType` is the raw value of the enumeration.
  ///
  /// - Throws: `UndefinedKey` for a key that is not an attribute of `entityDescription`.
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
