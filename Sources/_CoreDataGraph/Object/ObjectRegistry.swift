// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// The registered objects of one context by key, at most one object for each key.
///
/// Objects retain the registry, but the registry retains no object. An object's `deinit`, which may run on
/// any thread, removes the object's entry under a lock; a look-up under the same lock retains an object only
/// if the object is not being deallocated.
/// Source: docs/decisions/0001-identity-map.md.
@usableFromInline
// Unchecked: the mutex protects `table`. `owner` and `graph` are set while the context is created, and
// cleared only when it is deallocated; like the context's objects, they may be used only on its queue.
package final class ObjectRegistry: @unchecked Sendable {
  package let model: ModelDefinition
  /// The context; nil for the registry of objects without a context, and after the context was deallocated.
  // Unsafe: cleared before the context and its graph are freed.
  @exclusivity(unchecked) package private(set) unowned(unsafe) var owner: AnyObject?
  /// The graph of the context; nil for the registry of objects without a context, and after the context was
  /// deallocated.
  // Unsafe: cleared before the context and the graph are freed.
  @exclusivity(unchecked) package internal(set) unowned(unsafe) var graph: ObjectGraph?
  /// The module CoreData's `FrozenModel`, which holds the model's descriptions.
  package let modelObject: AnyObject
  /// The coordinator, through which objects find their stores even after `owner` was deallocated.
  ///
  /// Nil for the registry of objects that belong to no store, and after the coordinator was deallocated.
  package private(set) weak var coordinator: AnyObject?
  private let table: Mutex<IdentityTable>
  private let roots: [Int]
  private let keepsNothing: Bool
  /// The log of the coordinator; nil for the registry of objects without a context.
  private let log: RegistrationLog?
  private let walked = Atomic(0)

  /// Creates an empty registry; `owner` is nil for the registry of objects without a context.
  package init(
    model: ModelDefinition,
    modelObject: AnyObject,
    owner: AnyObject?,
    coordinator: AnyObject? = nil,
    log: RegistrationLog? = nil
  ) {
    self.model = model
    self.modelObject = modelObject
    self.owner = owner
    self.coordinator = coordinator
    keepsNothing = owner == nil
    self.log = log
    table = Mutex(IdentityTable())
    roots = model.entities.map(\.root)
  }

  package var isDetached: Bool { owner == nil }

  /// Returns the raw value of `key` with the root entity in place of the entity.
  ///
  /// Keys of the same row have the same identity even if they name different entities of one hierarchy.
  package func identity(_ key: ObjectKey) -> UInt64 { key.with(entity: roots[key.entity]).raw }

  package func object(for key: ObjectKey) -> GraphObject? {
    let identity = identity(key)
    let alive = table.withLock { ObjectLifetime.retain($0.find(identity)) }
    return ObjectLifetime.consume(alive, as: GraphObject.self)
  }

  /// Returns whether an object is registered for the key, even if it is being deallocated.
  package func contains(_ key: ObjectKey) -> Bool {
    let identity = identity(key)
    return table.withLock { $0.find(identity) != 0 }
  }

  /// Returns the objects of `keys`, in their order, with nil for a key without a living registered object.
  ///
  /// Returns an empty array, not an array of nils, if no key has a living registered object.
  package func objects(for keys: [ObjectKey]) -> [GraphObject?] {
    var isAnyAlive = false
    let alive = table.withLock { table in
      keys.map { key in
        let address = ObjectLifetime.retain(table.find(identity(key)))
        if address != 0 { isAnyAlive = true }
        return address
      }
    }
    return isAnyAlive ? alive.map { ObjectLifetime.consume($0, as: GraphObject.self) } : []
  }

  /// Registers each object under its key, replacing any object that was registered under the same key.
  package func register(_ objects: UnsafeBufferPointer<GraphObject>) {
    if let log, log.isActive {
      for object in objects { register(object) }
      return
    }
    table.withLock { table in
      for object in objects {
        table.put(identity(object.key), ObjectLifetime.address(of: object))
      }
    }
  }

  package func register(_ object: GraphObject) {
    let identity = identity(object.key)
    let address = ObjectLifetime.address(of: object)
    let isNew = table.withLock { $0.put(identity, address) }
    if isNew { report(.registered, object.key) }
  }

  private func report(_ change: RegistrationLog.Change, _ key: ObjectKey) {
    if let log, log.isActive { log.add(change, CollectionOfOne(key)) }
  }

  /// Reserves space for `additional` more objects.
  package func reserve(_ additional: Int) {
    table.withLock { $0.reserve(additional) }
  }

  /// Unregisters the object; does nothing if its key has no entry, or an entry for another object.
  package func remove(_ object: GraphObject) {
    if keepsNothing { return }
    let identity = identity(object.key)
    let address = ObjectLifetime.address(of: object)
    let isGone = table.withLock { $0.remove(identity, address) }
    if isGone { report(.unregistered, object.key) }
  }

  /// Sets the object's key, and registers the object under the new key instead of the old one.
  package func rekey(_ object: GraphObject, to key: ObjectKey) {
    let address = ObjectLifetime.address(of: object)
    let old = identity(object.key)
    let new = identity(key)
    let (wasKnown, isNew) = table.withLock { table in
      (table.remove(old, address), table.put(new, address))
    }
    if wasKnown { report(.unregistered, object.key) }
    object.key = key
    if isNew { report(.registered, key) }
  }

  /// The total number of objects that reads of `objects` have returned.
  ///
  /// Tests use it to check that saves and merges do not visit all objects.
  package var visits: Int { walked.load(ordering: .relaxed) }

  /// Every living registered object, in no particular order.
  ///
  /// - Complexity: O(registered objects).
  package var objects: [GraphObject] {
    let alive = table.withLock { table in
      var alive: [UInt] = []
      alive.reserveCapacity(table.count)
      table.forEach { address in
        let retained = ObjectLifetime.retain(address)
        if retained != 0 { alive.append(retained) }
      }
      return alive
    }
    walked.add(alive.count, ordering: .relaxed)
    return alive.compactMap { ObjectLifetime.consume($0, as: GraphObject.self) }
  }

  package var count: Int { table.withLock { $0.count } }

  /// Clears `owner` and `graph`; must be called when the context is deallocated.
  package func detach() {
    owner = nil
    graph = nil
  }
}
