// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// A conflict between an object that is being saved and its row, which was changed or deleted after the
/// context read it.
///
/// Source: documented, “NSMergeConflict”.
open class NSMergeConflict: NSObject {
  /// The object that the save tried to write or delete.
  public let sourceObject: NSManagedObject
  /// The attributes and to-ones of the object as of its last fetch or save; never nil.
  public let objectSnapshot: [String: Any]?
  /// The newer values in the store; nil if the row was deleted.
  public let cachedSnapshot: [String: Any]?
  /// The values in the file, if they differ from the row cache.
  ///
  /// Nil in every conflict that a save finds, because this library has no row cache between the context and
  /// the file (DEVIATIONS.md).
  public let persistedSnapshot: [String: Any]?
  /// The version that the context read.
  public let oldVersionNumber: Int
  /// The version in the store; 0 if the row was deleted.
  public let newVersionNumber: Int
  /// The newer row; nil if the row was deleted, and for a conflict that the program created.
  private(set) var storedRow: ChunkRow?

  /// Creates a conflict of `srcObject`, whose committed values become `objectSnapshot`.
  public init(
    source srcObject: NSManagedObject,
    newVersion newvers: Int,
    oldVersion oldvers: Int,
    cachedSnapshot cachesnap: [String: Any]?,
    persistedSnapshot persnap: [String: Any]?
  ) {
    sourceObject = srcObject
    objectSnapshot = srcObject.storedCommittedValues()
    cachedSnapshot = cachesnap
    persistedSnapshot = persnap
    oldVersionNumber = oldvers
    newVersionNumber = newvers
    super.init()
  }

  convenience init(_ object: NSManagedObject, stored: ChunkRow?) {
    self.init(
      source: object,
      newVersion: Int(stored?.chunk.version(stored?.row ?? 0) ?? 0),
      oldVersion: Int(object.context?.graph.expectedVersion(object) ?? 0),
      cachedSnapshot: stored.map { object.storedValues(at: $0) },
      persistedSnapshot: nil
    )
    storedRow = stored
  }

  /// The object, the old and the new version, and the snapshots; the version of a deleted row is `<deleted>`.
  open override var description: String {
    let object = sourceObject
    let version = newVersionNumber == 0 ? "<deleted>" : "\(newVersionNumber)"
    var text =
      "NSMergeConflict (\(addressText)) for \(object.plainClassName) (\(object.addressText)) with "
      + "objectID '\(object.objectID)' with oldVersion = \(oldVersionNumber) and newVersion = "
      + "\(version) and old object snapshot = \(DescribedValues.dictionary(objectSnapshot))"
    if let cachedSnapshot {
      text += " and new cached row = \(DescribedValues.dictionary(cachedSnapshot))"
    }
    if let persistedSnapshot {
      text += " and new database row = \(DescribedValues.dictionary(persistedSnapshot))"
    }
    return text
  }

  /// The newer row; nil if the row was deleted.
  ///
  /// For a conflict that the program created, the row is built from `persistedSnapshot` or, if that is nil,
  /// from `cachedSnapshot`. If both are nil, there is no row.
  var newerRow: ChunkRow? {
    if let storedRow { return storedRow }
    guard newVersionNumber != 0, let snapshot = persistedSnapshot ?? cachedSnapshot else {
      return nil
    }
    let definition = sourceObject.entityDefinition
    let (chunk, row) = RowChunk.single(definition.rowLayout)
    chunk.setVersion(row, Int64(newVersionNumber))
    for (name, value) in snapshot {
      guard let property = definition.property(named: name), property.isStored else { continue }
      let id = value as? NSManagedObjectID ?? (value as? NSManagedObject)?.objectID
      chunk.setValue(row, property.slot, id.map { .key($0.key) } ?? Value(any: value))
    }
    return (chunk, row)
  }
}

extension NSManagedObject {
  /// Returns the persistent attributes and to-ones as of the last fetch or save; empty for a new object, an
  /// object without a row, and an object in no context.
  func storedCommittedValues() -> [String: Any] {
    context?.graph.committedRow(self).map { storedValues(at: $0) } ?? [:]
  }

  /// Returns the persistent attributes and to-ones of a row, with nil values as `NSNull` and to-ones as IDs.
  func storedValues(at place: ChunkRow) -> [String: Any] {
    var values: [String: Any] = [:]
    for slot in entityDefinition.storedSlots {
      let property = entityDefinition.properties[slot]
      let value: Any?
      if place.chunk.isNull(place.row, slot) {
        value = nil
      } else if property.isToOne {
        value = context?.object(for: place.chunk.key(place.row, slot)).objectID
      } else {
        value = place.chunk.value(place.row, slot).any
      }
      values[property.name] = value ?? NSNull()
    }
    return values
  }
}
