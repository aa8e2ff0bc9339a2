// SPDX-License-Identifier: Apache-2.0

import CoreData
import Synchronization

/// An atomic store as a program would write it: all records of a `TableServer`, found by the URL.
final class AtomicTableStore: NSAtomicStore, @unchecked Sendable {
  static let type = "AtomicTable"
  private static let servers = Mutex<[URL: TableServer]>([:])

  /// Registers the class, and returns the server at a new URL.
  static func newServer() -> (url: URL, server: TableServer) {
    NSPersistentStoreCoordinator.registerStoreClass(
      AtomicTableStore.self,
      type: .init(rawValue: type)
    )
    let url = URL(fileURLWithPath: "/atomic/\(UUID().uuidString)")
    let server = TableServer()
    servers.withLock { $0[url] = server }
    return (url, server)
  }

  var server: TableServer {
    guard let server = url.flatMap({ url in Self.servers.withLock { $0[url] } }) else {
      fatalError("no server at \(url?.absoluteString ?? "nil")")
    }
    return server
  }

  override func loadMetadata() throws {
    metadata = server.metadata
    try super.loadMetadata()
  }

  override func load() throws {
    server.log.append("load")
    if let failure = server.failure { throw failure }
    let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
    var nodes: [String: NSAtomicStoreCacheNode] = [:]
    for (name, record) in server.records {
      guard let entity = entities[record.entity] else { continue }
      nodes[name] = NSAtomicStoreCacheNode(
        objectID: objectID(for: entity, withReferenceObject: name)
      )
    }
    for (name, record) in server.records {
      guard let node = nodes[name] else { continue }
      node.propertyCache = NSMutableDictionary(dictionary: record.values)
      for (key, relationship) in node.objectID.entity.relationshipsByName {
        let members = (record.links[key] ?? []).compactMap { nodes[$0] }
        if relationship.isToMany {
          node.setValue(NSOrderedSet(array: members), forKey: key)
        } else {
          node.setValue(members.first, forKey: key)
        }
      }
    }
    addCacheNodes(Set(nodes.values))
  }

  override func save() throws {
    server.log.append("save \(cacheNodes().count)")
    try server.onSave?()
    if let failure = server.failure { throw failure }
    server.metadata = metadata
    server.records = [:]
    for node in cacheNodes() {
      var record = TableServer.Record(entity: node.objectID.entity.name ?? "")
      for key in node.objectID.entity.attributesByName.keys {
        record.values[key] = node.value(forKey: key)
      }
      for key in node.objectID.entity.relationshipsByName.keys {
        record.links[key] = destinations(node.value(forKey: key)).map { name($0.objectID) }
      }
      server.records[name(node.objectID)] = record
    }
  }

  private func destinations(_ value: Any?) -> [NSAtomicStoreCacheNode] {
    switch value {
    case let node as NSAtomicStoreCacheNode: [node]
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSAtomicStoreCacheNode }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSAtomicStoreCacheNode }
    default: []
    }
  }

  private func name(_ id: NSManagedObjectID) -> String { "\(referenceObject(for: id))" }

  /// The number of calls for each node that was created or updated, by the name of the entity.
  private(set) var created: [String: Int] = [:]
  private(set) var updated: [String: Int] = [:]

  override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    created[managedObject.entity.name ?? "", default: 0] += 1
    return super.newCacheNode(for: managedObject)
  }

  override func updateCacheNode(
    _ node: NSAtomicStoreCacheNode,
    from managedObject: NSManagedObject
  ) {
    updated[managedObject.entity.name ?? "", default: 0] += 1
    super.updateCacheNode(node, from: managedObject)
  }

  override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    server.newReference()
  }

  override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    server.log.append("remove \(cacheNodes.count)")
  }
}
