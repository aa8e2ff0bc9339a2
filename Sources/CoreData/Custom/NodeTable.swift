// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// The nodes of an atomic store, by object key.
final class NodeTable: Sendable {
  private let model: ModelDefinition
  private let nodes = Mutex<[UInt64: NSAtomicStoreCacheNode]>([:])

  init(_ model: ModelDefinition) { self.model = model }

  /// Returns a number that is the same for all keys of one object, even if the keys contain different
  /// entities of its hierarchy.
  private func identity(_ key: ObjectKey) -> UInt64 {
    key.with(entity: model.entities[key.entity].root).raw
  }

  subscript(_ key: ObjectKey) -> NSAtomicStoreCacheNode? {
    get { nodes.withLock { $0[identity(key)] } }
    set { nodes.withLock { $0[identity(key)] = newValue } }
  }

  var all: [NSAtomicStoreCacheNode] { nodes.withLock { Array($0.values) } }
}
