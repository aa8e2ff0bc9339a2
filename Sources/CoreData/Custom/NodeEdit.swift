// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The objects of one save in an atomic store.
struct AtomicChanges {
  var inserted: [NSManagedObject]
  var updated: [NSManagedObject]
  var deleted: [NSManagedObject]
}

/// The changes of the nodes of an atomic store by one save, which can be reverted.
final class NodeEdit {
  private let nodes: NodeTable
  private let store: NSAtomicStore
  private var added: [NSAtomicStoreCacheNode] = []
  private var removed: [NSAtomicStoreCacheNode] = []
  /// The changed nodes with copies of their former values.
  private var changed: [(node: NSAtomicStoreCacheNode, values: NSMutableDictionary?)] = []

  init(_ nodes: NodeTable, _ store: NSAtomicStore) {
    self.nodes = nodes
    self.store = store
  }

  func apply(_ changes: AtomicChanges) {
    for object in changes.inserted {
      let node = store.newCacheNode(for: object)
      nodes[object.key] = node
      added.append(node)
    }
    for object in changes.updated {
      guard let node = nodes[object.key] else { continue }
      changed.append((node, node.propertyCache?.mutableCopy() as? NSMutableDictionary))
      store.updateCacheNode(node, from: object)
    }
    // Now the nodes of all new objects exist, to which the relationships of others lead.
    for (node, object) in zip(added, changes.inserted) { store.updateCacheNode(node, from: object) }
    removed = changes.deleted.compactMap { nodes[$0.key] }
    if removed.isEmpty { return }
    store.willRemoveCacheNodes(Set(removed))
    for object in changes.deleted { nodes[object.key] = nil }
  }

  /// Restores the nodes and their values.
  func revert() {
    for node in added { nodes[node.objectID.key] = nil }
    for node in removed { nodes[node.objectID.key] = node }
    for (node, values) in changed { node.propertyCache = values }
  }
}
