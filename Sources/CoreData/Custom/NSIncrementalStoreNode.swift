// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values of one object of an incremental store, which `newValuesForObject(with:with:)` returns.
///
/// Source: documented, “NSIncrementalStoreNode”.
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {
  // Unchecked: a node is used only during calls of the store's methods, and only one thread at a time makes
  // such calls.
  /// The ID of the object.
  public let objectID: NSManagedObjectID
  private var values: [String: Any]
  private var currentVersion: UInt64

  /// Creates a node.
  ///
  /// - Parameters:
  ///   - objectID: the ID of the object.
  ///   - values: by property name, the values of the attributes and the IDs of the destinations of to-ones.
  ///     `NSNull` means nil. For a to-one that is left out,
  ///     `newValue(forRelationship:forObjectWith:with:)` is called when the values are read.
  ///   - version: a number that changes whenever the object changes in the store.
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

  /// Returns the value of an attribute, or the ID of a to-one's destination; nil if the node does not contain
  /// the property, and `NSNull` if the property's value is nil.
  open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
