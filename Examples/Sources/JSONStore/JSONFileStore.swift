// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A store in one JSON file, which is read and written as a whole.
public final class JSONFileStore: NSAtomicStore, @unchecked Sendable {
  // Unchecked: the coordinator calls the store on one thread at a time.
  /// The type with which stores of the class are added.
  public static let storeType = "JSONFile"

  /// Registers the class; call it before the first store of the type is added.
  public static func register() {
    NSPersistentStoreCoordinator.registerStoreClass(
      JSONFileStore.self,
      type: .init(rawValue: storeType)
    )
  }

  /// The content of the file.
  private struct Content: Codable {
    var metadata: [String: JSONMetadata]
    /// The objects by their references.
    var objects: [String: JSONRecord] = [:]
  }

  // MARK: Metadata

  public override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    JSONMetadata.decoded(try JSONFile.read(Content.self, at: url).metadata)
  }

  public override class func setMetadata(
    _ metadata: [String: Any]?,
    forPersistentStoreAt url: URL
  ) throws {
    var content = try JSONFile.read(Content.self, at: url)
    content.metadata = JSONMetadata.encoded(metadata ?? [:])
    try JSONFile.write(JSONFile.data(content), to: url)
  }

  // MARK: Reading

  public override func load() throws {
    guard let url, FileManager.default.fileExists(atPath: url.path),
      let model = persistentStoreCoordinator?.managedObjectModel
    else { return }
    if try Data(contentsOf: url).isEmpty { return }
    let records = try JSONFile.read(Content.self, at: url).objects
    var nodes: [String: NSAtomicStoreCacheNode] = [:]
    for (reference, record) in records {
      guard let entity = model.entitiesByName[record.entity] else {
        throw JSONStoreError.damaged(url, "the model has no entity \(record.entity)")
      }
      let node = NSAtomicStoreCacheNode(
        objectID: objectID(for: entity, withReferenceObject: reference)
      )
      node.propertyCache = NSMutableDictionary(
        dictionary: try record.attributes(of: entity, in: url)
      )
      nodes[reference] = node
    }
    for (reference, record) in records {
      guard let node = nodes[reference] else { continue }
      for (name, references) in record.links {
        try link(node, name, references.compactMap { nodes[$0] }, url)
      }
    }
    addCacheNodes(Set(nodes.values))
  }

  private func link(
    _ node: NSAtomicStoreCacheNode,
    _ name: String,
    _ members: [NSAtomicStoreCacheNode],
    _ url: URL
  ) throws {
    guard let relationship = node.objectID.entity.relationshipsByName[name],
      let destination = relationship.destinationEntity
    else { return }
    for member in members where !member.objectID.entity.isKindOf(entity: destination) {
      let other = member.objectID.entity.name ?? ""
      throw JSONStoreError.damaged(url, "\(name) refers to a \(other)")
    }
    if relationship.isToMany {
      node.setValue(NSOrderedSet(array: members), forKey: name)
    } else if let member = members.first {
      node.setValue(member, forKey: name)
    }
  }

  // MARK: Writing

  public override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    UUID().uuidString
  }

  public override func save() throws {
    guard let url else { throw CocoaError(.fileWriteUnknown) }
    var content = Content(metadata: JSONMetadata.encoded(metadata))
    for node in cacheNodes() { content.objects[reference(node)] = try record(node) }
    try JSONFile.write(JSONFile.data(content), to: url)
  }

  private func reference(_ node: NSAtomicStoreCacheNode) -> String {
    "\(referenceObject(for: node.objectID))"
  }

  private func record(_ node: NSAtomicStoreCacheNode) throws -> JSONRecord {
    let entity = node.objectID.entity
    var record = JSONRecord(entity: entity.name ?? "", version: 1)
    for (name, attribute) in entity.attributesByName where !attribute.isTransient {
      if let value = node.value(forKey: name), !(value is NSNull) {
        record.values[name] = try JSONValue(value, of: attribute)
      }
    }
    for name in entity.relationshipsByName.keys {
      let members = nodes(node.value(forKey: name)).map(reference)
      if !members.isEmpty { record.links[name] = members }
    }
    return record
  }

  private func nodes(_ value: Any?) -> [NSAtomicStoreCacheNode] {
    switch value {
    case let node as NSAtomicStoreCacheNode: [node]
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSAtomicStoreCacheNode }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSAtomicStoreCacheNode }
    default: []
    }
  }
}
