// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The objects that one save inserts, updates and deletes in an atomic store.
struct AtomicChanges {
  var inserted: [NSManagedObject]
  var updated: [NSManagedObject]
  var deleted: [NSManagedObject]
}

/// Applies the changes of one save to the nodes of an atomic store, and can revert them.
final class NodeEdit {
  private let nodes: NodeTable
  private let store: NSAtomicStore
  private var added: [NSAtomicStoreCacheNode] = []
  private var removed: [NSAtomicStoreCacheNode] = []
  /// The updated nodes, each with a copy of its former values.
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
    // The first copy lacks links to new objects that had no node yet. Now all new objects have nodes.
    for (node, object) in zip(added, changes.inserted) { store.updateCacheNode(node, from: object) }
    removed = changes.deleted.compactMap { nodes[$0.key] }
    if removed.isEmpty { return }
    store.willRemoveCacheNodes(Set(removed))
    for object in changes.deleted { nodes[object.key] = nil }
  }

  /// Restores the nodes and values that existed before `apply(_:)`.
  func revert() {
    for node in added { nodes[node.objectID.key] = nil }
    for node in removed { nodes[node.objectID.key] = node }
    for (node, values) in changed { node.propertyCache = values }
  }
}
