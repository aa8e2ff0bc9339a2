// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Rules of batch requests (behaviour.md BAT-1 to BAT-3)")
struct BatchRules {
  @Test("BAT-1 a store that is not SQLite refuses every batch request with 134091")
  func sqliteOnly() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    for execute in [
      { _ = try stack.insert("Tag", [["name": "a"]]) },
      { _ = try stack.update("Tag", ["name": "a"]) }, { _ = try stack.delete("Tag") },
    ] {
      let error = #expect(throws: NSError.self) { try execute() }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
    }
  }

  @Test("BAT-2 neither objects nor observers nor validation learn of a batch")
  func bypasses() throws {
    let model = Library.model()
    model.entitiesByName["Tag"]?.attributesByName["name"]?.setValidationPredicates(
      [NSPredicate(format: "SELF == 'old'")],
      withValidationWarnings: ["not old"]
    )
    let stack = try LibraryStack(model: model)
    let tag = stack.make("Tag", ["name": "old"])
    try stack.context.save()
    let names: [Notification.Name] = [
      .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave,
      .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
      .NSManagedObjectContextDidMergeChangesObjectIDs,
    ]
    let posts = PostedNames()
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: stack.context, queue: nil) {
        posts.add($0.name)
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    _ = try stack.insert("Tag", [["name": "other"]])
    _ = try stack.update("Tag", ["name": "new"])
    #expect(tag.text("name") == "old" && !stack.context.hasChanges)
    #expect(stack.context.registeredObjects == [tag])
    _ = try stack.delete("Tag")
    #expect(!tag.isDeleted && tag.text("name") == "old")
    #expect(posts.names.isEmpty)
    #expect(try stack.reread("Tag").isEmpty)
  }

  @Test("BAT-2 unsaved changes stay unsaved and are not seen by a batch")
  func pendingChanges() throws {
    let stack = try LibraryStack()
    let tag = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    tag.setValue("b", forKey: "name")
    _ = stack.make("Tag", ["name": "c"])
    let count = try stack.update("Tag", ["name": "x"], where: NSPredicate(format: "name == 'a'"))
    #expect(count as? Int == 1)
    #expect(stack.context.insertedObjects.count == 1 && stack.context.updatedObjects == [tag])
    #expect(tag.text("name") == "b")
  }

  @Test("BAT-3 results: status 0, IDs 1, counts 2, the status at first")
  func results() throws {
    #expect(NSBatchInsertRequestResultType.statusOnly.rawValue == 0)
    #expect(NSBatchInsertRequestResultType.objectIDs.rawValue == 1)
    #expect(NSBatchInsertRequestResultType.count.rawValue == 2)
    #expect(NSBatchUpdateRequestResultType.statusOnlyResultType.rawValue == 0)
    #expect(NSBatchUpdateRequestResultType.updatedObjectIDsResultType.rawValue == 1)
    #expect(NSBatchUpdateRequestResultType.updatedObjectsCountResultType.rawValue == 2)
    #expect(NSBatchDeleteRequestResultType.resultTypeStatusOnly.rawValue == 0)
    #expect(NSBatchDeleteRequestResultType.resultTypeObjectIDs.rawValue == 1)
    #expect(NSBatchDeleteRequestResultType.resultTypeCount.rawValue == 2)
    let stack = try LibraryStack()
    let insert = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"], ["name": "b"]])
    #expect(insert.resultType == .statusOnly && insert.requestType == .batchInsertRequestType)
    let inserted = try stack.context.execute(insert) as? NSBatchInsertResult
    #expect(inserted?.result as? Bool == true && inserted?.resultType == .statusOnly)
    let ids = try stack.insert("Tag", [["name": "c"]], .objectIDs) as? [NSManagedObjectID]
    #expect(ids == (try stack.reread("Tag").filter { $0.text("name") == "c" }.map(\.objectID)))
    #expect(try stack.insert("Tag", [["name": "d"]], .count) as? Int == 1)

    let update = NSBatchUpdateRequest(entityName: "Tag")
    #expect(update.resultType == .statusOnlyResultType && update.includesSubentities)
    #expect(update.requestType == .batchUpdateRequestType)
    #expect(try stack.update("Tag", ["name": "x"], .statusOnlyResultType) as? Bool == true)
    let changed = try stack.update("Tag", ["name": "y"], .updatedObjectIDsResultType)
    let all = Set(try stack.reread("Tag").map(\.objectID))
    #expect(Set(changed as? [NSManagedObjectID] ?? []) == all && all.count == 4)
    #expect(try stack.update("Tag", ["name": "z"]) as? Int == 4)

    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
    let delete = NSBatchDeleteRequest(fetchRequest: fetch)
    #expect(delete.resultType == .resultTypeStatusOnly)
    #expect(delete.requestType == .batchDeleteRequestType)
    fetch.fetchLimit = 1
    #expect(delete.fetchRequest.fetchLimit == 0)
    let deleted = try stack.delete("Tag", nil, .resultTypeObjectIDs) as? [NSManagedObjectID]
    #expect(Set(deleted ?? []) == all)
  }

  @Test("A batch that fails half way leaves nothing of itself (one transaction)")
  func atomic() throws {
    let stack = try LibraryStack(model: Registry.model())
    _ = try stack.insert("City", [["code": "A"]])
    let rows = (0..<900).map { ["code": $0 == 850 ? "A" : "c\($0)"] }
    let error = #expect(throws: NSError.self) { try stack.insert("City", rows) }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    #expect(try stack.texts("City", "code") == ["A"])
    // Its numbers are free again.
    let ids = try stack.insert("City", [["code": "B"]], .objectIDs) as? [NSManagedObjectID]
    #expect(ids?.first?.uriRepresentation().lastPathComponent == "p2")
  }

  @Test("A batch goes to the affected stores alone, and to all that hold the entity otherwise")
  func affectedStores() throws {
    let stack = try LibraryStack()
    let coordinator = stack.container.persistentStoreCoordinator
    let second = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: stack.folder.appendingPathComponent("Second.sqlite")
    )
    _ = try stack.insert("Tag", [["name": "a"]])
    let insert = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "b"]])
    insert.affectedStores = [second]
    insert.resultType = .objectIDs
    let result = try stack.context.execute(insert) as? NSBatchInsertResult
    let id = (result?.result as? [NSManagedObjectID])?.first
    #expect(id?.persistentStore === second)
    #expect(try stack.update("Tag", ["name": "c"]) as? Int == 2)
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
    let delete = NSBatchDeleteRequest(fetchRequest: fetch)
    delete.affectedStores = [second]
    delete.resultType = .resultTypeCount
    #expect(
      (try stack.context.execute(delete) as? NSBatchDeleteResult)?.result as? Int == 1
    )
    #expect(try stack.reread("Tag").count == 1)
    // Those of the fetch count where the batch names none.
    fetch.affectedStores = [second]
    let byFetch = NSBatchDeleteRequest(fetchRequest: fetch)
    byFetch.resultType = .resultTypeCount
    #expect((try stack.context.execute(byFetch) as? NSBatchDeleteResult)?.result as? Int == 0)
    byFetch.affectedStores = [try stack.store]
    #expect((try stack.context.execute(byFetch) as? NSBatchDeleteResult)?.result as? Int == 1)
    delete.affectedStores = []
    let error = #expect(throws: NSError.self) { try stack.context.execute(delete) }
    #expect(error?.code == NSPersistentStoreOperationError)
  }

  @Test("A batch without a suitable store names the cause")
  func causes() throws {
    let stack = try LibraryStack()
    func reason(
      _ stores: [NSPersistentStore]?,
      _ context: NSManagedObjectContext
    ) -> String {
      let request = NSBatchUpdateRequest(entityName: "Tag")
      request.propertiesToUpdate = ["name": "a"]
      request.affectedStores = stores
      let error = #expect(throws: NSError.self) { try context.execute(request) }
      return error?.localizedFailureReason ?? ""
    }
    #expect(reason([], stack.context).hasPrefix("affectedStores contains no store"))
    let narrow = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
    narrow.affectedStores = []
    let outside = #expect(throws: NSError.self) {
      try stack.context.execute(NSBatchDeleteRequest(fetchRequest: narrow))
    }
    let cause = try #require(outside?.localizedFailureReason)
    #expect(cause.hasPrefix("affectedStores of the fetch request contains no store"))
    let empty = NSManagedObjectContext(.privateQueue)
    empty.persistentStoreCoordinator = NSPersistentStoreCoordinator(
      managedObjectModel: Library.model()
    )
    #expect(reason(nil, empty).hasPrefix("The coordinator has no stores"))
    let memory = try LibraryStack(NSInMemoryStoreType)
    let identifier = try #require(try memory.store.identifier)
    #expect(reason(nil, memory.context).contains(identifier))
    let nameless = #expect(throws: NSError.self) {
      try stack.context.execute(NSBatchUpdateRequest(entityName: ""))
    }
    #expect(nameless?.localizedFailureReason?.contains("has no entity") == true)
    let limited = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
    limited.fetchLimit = 1
    try stack.container.persistentStoreCoordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: stack.folder.appendingPathComponent("Second.sqlite")
    )
    let error = #expect(throws: NSError.self) {
      try stack.context.execute(NSBatchDeleteRequest(fetchRequest: limited))
    }
    #expect(error?.localizedFailureReason?.contains("the 2 stores") == true)
  }

  @Test("A read-only store refuses a batch with 513")
  func readOnly() throws {
    let stack = try LibraryStack()
    _ = try stack.insert("Tag", [["name": "a"]])
    let coordinator = stack.container.persistentStoreCoordinator
    let url = try #require(try stack.store.url)
    try coordinator.remove(try stack.store)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: [NSReadOnlyPersistentStoreOption: true]
    )
    for execute in [
      { _ = try stack.insert("Tag", [["name": "a"]]) },
      { _ = try stack.update("Tag", ["name": "a"]) }, { _ = try stack.delete("Tag") },
    ] {
      let error = #expect(throws: NSError.self) { try execute() }
      #expect(error?.code == CocoaError.Code.fileWriteNoPermission.rawValue)
    }
  }

  @Test("Unknown entities and properties are errors that name them")
  func unknownNames() throws {
    let stack = try LibraryStack()
    let calls: [(String, () throws -> Void)] = [
      ("Ghost", { _ = try stack.insert("Ghost", []) }),
      ("Ghost", { _ = try stack.update("Ghost", ["name": 1]) }),
      ("ghost", { _ = try stack.update("Tag", ["ghost": 1]) }),
      ("ghost", { _ = try stack.delete("Tag", where: NSPredicate(format: "ghost == 1")) }),
      ("Tag", { _ = try stack.update("Tag", [:]) }),
    ]
    for (name, call) in calls {
      let error = #expect(throws: NSError.self) { try call() }
      #expect(error?.domain == NSCocoaErrorDomain)
      #expect(error.map { "\($0)".contains(name) } == true)
    }
  }

  @Test("Copies of requests have the same settings")
  func copies() throws {
    let stack = try LibraryStack()
    let insert = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"]])
    insert.resultType = .count
    insert.affectedStores = [try stack.store]
    let insertCopy = insert.copy() as? NSBatchInsertRequest
    #expect(insertCopy?.objectsToInsert?.count == 1 && insertCopy?.resultType == .count)
    #expect(insertCopy?.affectedStores?.count == 1 && insertCopy?.entityName == "Tag")
    let update = NSBatchUpdateRequest(entityName: "Tag")
    update.predicate = NSPredicate(format: "name == 'a'")
    update.includesSubentities = false
    update.propertiesToUpdate = ["name": "b"]
    let updateCopy = update.copy() as? NSBatchUpdateRequest
    #expect(updateCopy?.predicate == update.predicate && updateCopy?.includesSubentities == false)
    #expect(updateCopy?.propertiesToUpdate?.count == 1)
    let delete = NSBatchDeleteRequest(
      fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Tag")
    )
    delete.resultType = .resultTypeCount
    let deleteCopy = delete.copy() as? NSBatchDeleteRequest
    #expect(deleteCopy?.resultType == .resultTypeCount)
    #expect(deleteCopy?.fetchRequest.entityName == "Tag")
  }
}

extension LibraryStack {
  func update(
    _ entity: String,
    _ values: [AnyHashable: Any],
    _ type: NSBatchUpdateRequestResultType
  ) throws -> Any? {
    try update(entity, values, where: nil, type)
  }

  func delete(
    _ entity: String,
    _ predicate: NSPredicate?,
    _ type: NSBatchDeleteRequestResultType
  ) throws -> Any? {
    try delete(entity, where: predicate, type)
  }
}

/// Names of notifications in the order they were posted.
private final class PostedNames: @unchecked Sendable {
  // Unchecked: the observed context is used on one thread.
  private(set) var names: [Notification.Name] = []
  func add(_ name: Notification.Name) { names.append(name) }
}
