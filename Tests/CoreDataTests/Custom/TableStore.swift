// SPDX-License-Identifier: Apache-2.0

import CoreData
import JSONStores
import Synchronization

/// An incremental store as a program would write it: the records of a `TableServer`, found by the URL.
final class TableStore: NSIncrementalStore, @unchecked Sendable {
  static let type = "Table"
  private static let servers = Mutex<[URL: TableServer]>([:])

  /// Registers the class, and returns the server at a new URL.
  static func newServer() -> (url: URL, server: TableServer) {
    NSPersistentStoreCoordinator.registerStoreClass(TableStore.self, forStoreType: type)
    let url = URL(fileURLWithPath: "/table/\(UUID().uuidString)")
    let server = TableServer()
    servers.withLock { $0[url] = server }
    return (url, server)
  }

  private(set) var added: [String] = []

  var server: TableServer {
    guard let server = url.flatMap({ url in Self.servers.withLock { $0[url] } }) else {
      fatalError("no server at \(url?.absoluteString ?? "nil")")
    }
    return server
  }

  override func loadMetadata() throws {
    server.log.append("load")
    if let failure = server.failure { throw failure }
    if server.metadata == nil, let url {
      server.metadata = [
        NSStoreUUIDKey: Self.identifierForNewStore(at: url), NSStoreTypeKey: Self.type,
      ]
    }
    metadata = server.metadata
  }

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    guard let metadata = servers.withLock({ $0[url] })?.metadata else {
      throw CocoaError(.fileReadNoSuchFile)
    }
    return metadata
  }

  override class func setMetadata(
    _ metadata: [String: Any]?,
    forPersistentStoreAt url: URL
  ) throws {
    servers.withLock { $0[url] }?.metadata = metadata
  }

  override func didAdd(to coordinator: NSPersistentStoreCoordinator) {
    server.log.append("added")
  }

  override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
    server.log.append("removed")
  }

  // MARK: Requests

  override func execute(
    _ request: NSPersistentStoreRequest,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    if let fetch = request as? NSFetchRequest<NSFetchRequestResult>, let context {
      server.log.append("fetch \(fetch.entityName ?? "")")
      return EvaluatedFetch(fetch, among: candidates(fetch), of: self, for: context).results()
    }
    guard let save = request as? NSSaveChangesRequest else {
      throw NSError(
        domain: NSCocoaErrorDomain,
        code: NSPersistentStoreUnsupportedRequestTypeError
      )
    }
    try self.save(save)
    return []
  }

  /// The IDs of the entity's objects, in the order in which the server has named them.
  private func candidates(_ fetch: NSFetchRequest<NSFetchRequestResult>) -> [NSManagedObjectID] {
    let names = EvaluatedFetch.entityNames(of: fetch)
    let found = server.records.filter { names.contains($0.value.entity) }.map(\.key)
    return found.sorted { ($0.count, $0) < ($1.count, $1) }.compactMap(id)
  }

  private func save(_ request: NSSaveChangesRequest) throws {
    let counts = [request.insertedObjects, request.updatedObjects, request.deletedObjects]
      .map { $0.map { String($0.count) } ?? "nil" }
    server.log.append("save \(counts.joined(separator: " "))")
    try server.onSave?()
    if let failure = server.failure { throw failure }
    server.metadata = metadata
    for object in request.insertedObjects ?? [] { write(object) }
    for object in request.updatedObjects ?? [] { write(object) }
    for object in request.deletedObjects ?? [] { server.records[name(object.objectID)] = nil }
  }

  private func write(_ object: NSManagedObject) {
    let name = name(object.objectID)
    var record = server.records[name] ?? .init(entity: object.entity.name ?? "", version: 0)
    record.version += 1
    for (key, attribute) in object.entity.attributesByName where !attribute.isTransient {
      record.values[key] = object.value(forKey: key)
    }
    for (key, relationship) in object.entity.relationshipsByName where !relationship.isTransient {
      record.links[key] = destinations(object.value(forKey: key)).map { self.name($0.objectID) }
    }
    server.records[name] = record
  }

  private func destinations(_ value: Any?) -> [NSManagedObject] {
    switch value {
    case let object as NSManagedObject: [object]
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    default: []
    }
  }

  private func name(_ id: NSManagedObjectID) -> String { "\(referenceObject(for: id))" }

  // MARK: Objects

  func id(_ name: String) -> NSManagedObjectID? {
    guard let record = server.records[name],
      let model = persistentStoreCoordinator?.managedObjectModel,
      let entity = model.entitiesByName[record.entity]
    else { return nil }
    return newObjectID(for: entity, referenceObject: name)
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID,
    with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    let name = name(objectID)
    server.log.append("values \(name)")
    if server.unreadable.contains(name) { throw CocoaError(.fileReadUnknown) }
    guard let record = server.records[name] else {
      throw NSError(
        domain: NSCocoaErrorDomain,
        code: NSManagedObjectReferentialIntegrityError
      )
    }
    var values = record.values
    for (key, relationship) in objectID.entity.relationshipsByName
    where !relationship.isToMany && !server.nodesOmitReferences {
      values[key] = record.links[key]?.first.flatMap(id) ?? NSNull()
    }
    return NSIncrementalStoreNode(
      objectID: objectID,
      withValues: values,
      version: record.version
    )
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    let name = name(objectID)
    server.log.append("\(relationship.name) \(name)")
    let ids = (server.records[name]?.links[relationship.name] ?? []).compactMap(id)
    return relationship.isToMany ? ids : ids.first ?? NSNull()
  }

  override func obtainPermanentIDs(
    for array: [NSManagedObject]
  ) throws -> [NSManagedObjectID] {
    server.log.append("obtain \(array.count)")
    return array.map { newObjectID(for: $0.entity, referenceObject: server.newReference()) }
  }

  override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
    server.countRegistrations(of: objectIDs.map(name), 1)
  }

  override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
    server.countRegistrations(of: objectIDs.map(name), -1)
  }
}
