// SPDX-License-Identifier: Apache-2.0

import CoreData
import Synchronization
import Testing

/// Walks every method of contexts and objects that must stay on the queue: each one says so.
///
/// Source: behaviour.md CON-4; which ones check is chosen (DEVIATIONS.md).
@Suite struct ConfinedCallsTests {
  @Test func everyCallOffTheQueueIsReported() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
      let calls = try OffQueueCalls()
      let unchecked = calls.all.filter { !OffQueueCalls.isReported($0.body) }.map(\.name)
      if calls.all.count < 60 { exit(3) }
      FileHandle.standardError.write(Data(unchecked.joined(separator: "\n").utf8))
    }
    let unchecked = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(unchecked == "", "these go unnoticed off the queue")
  }
}

/// The calls, each of them made off the queue of its context.
private final class OffQueueCalls {
  typealias Call = (name: String, body: () throws -> Void)
  private let web: WebStack
  private let context: NSManagedObjectContext
  private let node: Node
  private let other: Node
  private let spare: Node

  init() throws {
    web = try WebStack(NSSQLiteStoreType)
    let made = web
    context = made.context
    (node, other, spare) = try made.context.performAndWait {
      made.context.undoManager = UndoManager()
      let nodes = try (made.node("a"), made.node("b"), made.node("c"))
      try made.save()
      return nodes
    }
  }

  static func isReported(_ body: () throws -> Void) -> Bool {
    let reports = Mutex(0)
    Confinement.$violationHandler.withValue({ _ in reports.withLock { $0 += 1 } }) {
      // What fails has been made, too.
      do { try body() } catch {}
    }
    return reports.withLock { $0 } > 0
  }

  var all: [Call] { reading + writing + settling + objectReading + objectWriting + collections }

  private var request: NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Node") }

  private var reading: [Call] {
    [
      ("fetch", { [self] in _ = try context.fetch(request) }),
      ("count", { [self] in _ = try context.count(for: request) }),
      ("execute", { [self] in _ = try context.execute(request) }),
      ("object(with:)", { [self] in _ = context.object(with: node.objectID) }),
      ("registeredObject", { [self] in _ = context.registeredObject(for: node.objectID) }),
      ("existingObject", { [self] in _ = try context.existingObject(with: node.objectID) }),
      ("insertedObjects", { [self] in _ = context.insertedObjects }),
      ("updatedObjects", { [self] in _ = context.updatedObjects }),
      ("deletedObjects", { [self] in _ = context.deletedObjects }),
      ("registeredObjects", { [self] in _ = context.registeredObjects }),
      ("queryGenerationToken", { [self] in _ = context.queryGenerationToken }),
      ("observe hasChanges", { [self] in _ = context.observe(\.hasChanges) { _, _ in } }),
    ]
  }

  private var writing: [Call] {
    [
      ("init(context:)", { [self] in _ = Node(context: context) }),
      (
        "insertNewObject",
        { [self] in _ = NSEntityDescription.insertNewObject(forEntityName: "Node", into: context) }
      ),
      ("insert", { [self] in context.insert(node) }),
      ("delete", { [self] in context.delete(spare) }),
      ("obtainPermanentIDs", { [self] in try context.obtainPermanentIDs(for: []) }),
      ("detectConflicts", { [self] in context.detectConflicts(for: node) }),
      (
        "assign",
        { [self] in
          let new = context.performAndWait { Node(context: context) }
          let stores = context.persistentStoreCoordinator?.persistentStores ?? []
          context.assign(new, to: stores[0])
        }
      ),
      ("undo", { [self] in context.undo() }),
      ("redo", { [self] in context.redo() }),
      (
        "the undo manager's undo",
        { [self] in
          context.performAndWait {
            spare.rank = 5
            context.processPendingChanges()
          }
          context.undoManager?.undo()
        }
      ),
    ]
  }

  private var settling: [Call] {
    [
      ("processPendingChanges", { [self] in context.processPendingChanges() }),
      ("save", { [self] in try context.save() }),
      ("rollback", { [self] in context.rollback() }),
      ("refresh", { [self] in context.refresh(node, mergeChanges: true) }),
      ("refresh to a fault", { [self] in context.refresh(node, mergeChanges: false) }),
      ("refreshAllObjects", { [self] in context.refreshAllObjects() }),
      ("setQueryGenerationFrom", { [self] in try context.setQueryGenerationFrom(nil) }),
      ("undoManager", { [self] in context.undoManager = nil }),
      (
        "mergeChanges",
        { [self] in
          context.mergeChanges(
            fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave, userInfo: [:])
          )
        }
      ),
      (
        "a results controller's fetch",
        { [self] in
          let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
          request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
          try NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil
          ).performFetch()
        }
      ),
    ]
  }

  private var objectReading: [Call] {
    [
      ("a generated attribute", { [self] in _ = node.name }),
      ("a generated to-one", { [self] in _ = node.parent }),
      ("a generated to-many", { [self] in _ = node.children }),
      ("value(forKey:)", { [self] in _ = node.value(forKey: "name") }),
      ("value(forKey:) of a to-many", { [self] in _ = node.value(forKey: "children") }),
      ("value(forKeyPath:)", { [self] in _ = node.value(forKeyPath: "parent.name") }),
      ("subscript", { [self] in _ = node["name"] }),
      ("primitiveValue", { [self] in _ = node.primitiveValue(forKey: "name") }),
      ("dictionaryWithValues", { [self] in _ = node.dictionaryWithValues(forKeys: ["name"]) }),
      ("changedValues", { [self] in _ = node.changedValues() }),
      ("hasPersistentChangedValues", { [self] in _ = node.hasPersistentChangedValues }),
      ("changedValuesForCurrentEvent", { [self] in _ = node.changedValuesForCurrentEvent() }),
      ("committedValues", { [self] in _ = node.committedValues(forKeys: nil) }),
      ("hasFault", { [self] in _ = node.hasFault(forRelationshipNamed: "children") }),
      ("objectIDs", { [self] in _ = node.objectIDs(forRelationshipNamed: "children") }),
      ("willAccessValue", { [self] in node.willAccessValue(forKey: nil) }),
      (
        "validateValue",
        { [self] in
          var value: Any? = "x"
          try node.validateValue(&value, forKey: "name")
        }
      ),
      ("validateForInsert", { [self] in try node.validateForInsert() }),
      ("validateForUpdate", { [self] in try node.validateForUpdate() }),
      ("validateForDelete", { [self] in try node.validateForDelete() }),
      ("observe", { [self] in _ = node.observe(\.name) { _, _ in } }),
      ("observe(key:)", { [self] in _ = node.observe(key: "name") { _, _ in } }),
      (
        "a predicate",
        { [self] in _ = NSPredicate(format: "name = 'a'").evaluate(with: node) }
      ),
      (
        "a sort descriptor",
        { [self] in
          _ = NSSortDescriptor(key: "name", ascending: true).compare(node, to: other)
        }
      ),
    ]
  }

  private var objectWriting: [Call] {
    [
      ("a generated attribute, set", { [self] in node.name = "x" }),
      ("a generated to-one, set", { [self] in node.parent = other }),
      ("addTo…", { [self] in node.addToChildren(other) }),
      ("removeFrom…", { [self] in node.removeFromChildren(other) }),
      ("setValue(_:forKey:)", { [self] in node.setValue("x", forKey: "name") }),
      (
        "setValue(_:forKey:) of a to-many",
        { [self] in node.setValue(Set([other]), forKey: "children") }
      ),
      ("setValuesForKeys", { [self] in node.setValuesForKeys(["name": "x"]) }),
      ("subscript, set", { [self] in node["name"] = "x" }),
      ("setPrimitiveValue", { [self] in node.setPrimitiveValue("x", forKey: "name") }),
      ("willChangeValue", { [self] in node.willChangeValue(forKey: "name") }),
      ("didChangeValue", { [self] in node.didChangeValue(forKey: "name") }),
    ]
  }

  private var collections: [Call] {
    let set = context.performAndWait { node.mutableSetValue(forKey: "children") }
    return [
      ("mutableSetValue", { [self] in _ = node.mutableSetValue(forKey: "children") }),
      ("its count", { _ = set.count }),
      ("its members", { _ = set.allObjects }),
      ("its contains", { [self] in _ = set.contains(other) }),
      ("its add", { [self] in set.add(other) }),
      ("its remove", { [self] in set.remove(other) }),
      ("its set", { [self] in set.setSet([other]) }),
    ]
  }
}
