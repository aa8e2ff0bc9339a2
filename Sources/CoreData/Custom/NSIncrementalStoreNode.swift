// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values of one object of an incremental store, which `newValuesForObject(with:with:)` returns.
///
/// Source: documented, “NSIncrementalStoreNode”.
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {
  // Unchecked: a node is used only while the coordinator calls its store, which it does on one thread at a
  // time.
  /// The ID of the object.
  public let objectID: NSManagedObjectID
  private var values: [String: Any]
  private var currentVersion: UInt64

  /// Creates a node.
  ///
  /// - Parameters:
  ///   - objectID: the ID of the object.
  ///   - values: the values of the attributes by name, and the IDs of the destinations of to-ones. `NSNull`
  ///     means nil. A to-one that is left out is requested with
  ///     `newValue(forRelationship:forObjectWith:with:)` when the values are read.
  ///   - version: a number that differs from the one before if the object has changed in the store.
  public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
    self.objectID = objectID
    self.values = values
    currentVersion = version
    super.init()
  }

  /// Replaces the values and the version of the node; for stores that keep their nodes.
  open func update(withValues values: [String: Any], version: UInt64) {
    self.values = values
    currentVersion = version
  }

  /// The version of the object's values in the store.
  ///
  /// If the version differs from that of the object's last node, a context that has read the earlier values
  /// has a conflict when it saves changes of the object.
  open var version: UInt64 { currentVersion }

  /// Returns the value of an attribute, or the ID of a to-one's destination; nil if the node does not have the
  /// property, and `NSNull` if it has the value nil.
  open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
