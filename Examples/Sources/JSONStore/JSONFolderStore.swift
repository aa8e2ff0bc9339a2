// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A store in a folder of JSON files, one for each object, which are read when they are needed.
public final class JSONFolderStore: NSIncrementalStore, @unchecked Sendable {
  // Unchecked: the coordinator calls the store on one thread at a time.
  /// The type with which stores of the class are added.
  public static let storeType = "JSONFolder"

  /// Registers the class; call it before the first store of the type is added.
  public static func register() {
    NSPersistentStoreCoordinator.registerStoreClass(
      JSONFolderStore.self,
      type: .init(rawValue: storeType)
    )
  }

  private var opened: RecordFolder?

  private var entities: [String: NSEntityDescription] {
    persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
  }

  private func folder() throws -> RecordFolder {
    guard let opened else { throw CocoaError(.fileReadNoSuchFile) }
    return opened
  }

  // MARK: Metadata

  public override func loadMetadata() throws {
    guard let url else { throw CocoaError(.fileReadNoSuchFile) }
    opened = try RecordFolder(url, entities: Array(entities.keys))
    if RecordFolder.hasMetadata(at: url) {
      metadata = try RecordFolder.metadata(at: url)
      return
    }
    metadata = [
      NSStoreUUIDKey: Self.identifierForNewStore(at: url), NSStoreTypeKey: Self.storeType,
    ]
    try RecordFolder.write(metadata, at: url)
  }

  public override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    try RecordFolder.metadata(at: url)
  }

  public override class func setMetadata(
    _ metadata: [String: Any]?,
    forPersistentStoreAt url: URL
  ) throws {
    try RecordFolder.write(metadata ?? [:], at: url)
  }

  // MARK: Requests

  public override func execute(
    _ request: NSPersistentStoreRequest,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    switch request {
    case let save as NSSaveChangesRequest:
      try write(save)
      return []
    case let fetch as NSFetchRequest<NSFetchRequestResult>:
      guard let context else { return [] }
      return try results(of: fetch, for: context)
    default:
      throw CocoaError(CocoaError.Code(rawValue: NSPersistentStoreUnsupportedRequestTypeError))
    }
  }

  private func results(
    of request: NSFetchRequest<NSFetchRequestResult>,
    for context: NSManagedObjectContext
  ) throws -> [Any] {
    let folder = try folder()
    let names = EvaluatedFetch.entityNames(of: request)
    let found = folder.entities.filter { names.contains($0.value) }.keys.sorted()
    // A predicate can read any object, and a fault that cannot be read would stop the program.
    if request.predicate != nil || request.sortDescriptors?.isEmpty == false
      || request.resultType == .dictionaryResultType
    {
      for reference in folder.entities.keys { _ = try values(of: reference) }
    }
    let ids = try found.compactMap(id)
    return EvaluatedFetch(request, among: ids, of: self, for: context).results()
  }

  private func write(_ request: NSSaveChangesRequest) throws {
    let folder = try folder()
    var changes: [String: JSONRecord?] = [:]
    for object in (request.insertedObjects ?? []).union(request.updatedObjects ?? []) {
      let reference = reference(object)
      let version = try folder.record(reference)?.version ?? 0
      changes[reference] = try JSONRecord(
        object,
        version: version + 1,
        reference: self.reference
      )
    }
    for object in request.deletedObjects ?? [] { changes[reference(object)] = .some(nil) }
    try folder.save(changes, metadata: metadata)
  }

  public override func obtainPermanentIDs(
    for array: [NSManagedObject]
  ) throws -> [NSManagedObjectID] {
    array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
  }

  // MARK: Objects

  private func reference(_ object: NSManagedObject) -> String {
    "\(referenceObject(for: object.objectID))"
  }

  /// Returns the ID of an object; nil if there is none, such as for a link to an object that was deleted.
  private func id(_ reference: String) throws -> NSManagedObjectID? {
    guard let name = try folder().entities[reference], let entity = entities[name] else {
      return nil
    }
    return newObjectID(for: entity, referenceObject: reference)
  }

  /// Returns the attributes of an object and its record; nil if there is none.
  private func values(
    of reference: String
  ) throws -> (values: [String: Any], record: JSONRecord)? {
    let folder = try folder()
    guard let record = try folder.record(reference), let entity = entities[record.entity] else {
      return nil
    }
    let file = folder.file(reference, of: record.entity)
    for (name, references) in record.links {
      for destination in references {
        guard let other = folder.entities[destination].flatMap({ entities[$0] }),
          let relationship = entity.relationshipsByName[name],
          let expected = relationship.destinationEntity
        else { continue }
        if !other.isKindOf(entity: expected) {
          throw JSONStoreError.damaged(file, "\(name) refers to a \(other.name ?? "")")
        }
      }
    }
    return (try record.attributes(of: entity, in: file), record)
  }

  public override func newValuesForObject(
    with objectID: NSManagedObjectID,
    with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    guard let (attributes, record) = try values(of: "\(referenceObject(for: objectID))") else {
      throw JSONStoreError.missing(objectID)
    }
    var values = attributes
    for (name, relationship) in objectID.entity.relationshipsByName where !relationship.isToMany {
      values[name] = try record.links[name]?.first.flatMap(id) ?? NSNull()
    }
    return NSIncrementalStoreNode(
      objectID: objectID,
      withValues: values,
      version: record.version
    )
  }

  public override func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    let record = try folder().record("\(referenceObject(for: objectID))")
    let ids = try (record?.links[relationship.name] ?? []).compactMap(id)
    return relationship.isToMany ? ids : ids.first ?? NSNull()
  }
}
