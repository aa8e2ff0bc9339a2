// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel

/// The connection of a context to its coordinator or parent, with the graph of the context's objects.
///
/// Replaced as a whole when the context gets another coordinator or parent. The replacement is allowed only
/// while the context has no objects.
final class ContextConnection {
  let coordinator: NSPersistentStoreCoordinator
  let model: FrozenModel
  let registry: ObjectRegistry
  let graph: ObjectGraph
  /// The parent as the source of a child's rows; nil for a context without a parent.
  let parent: ParentSource?
  @exclusivity(unchecked) var faultMaker: FaultMaker?
  /// The indexes of the stores to which the program assigned new objects, by temporary key.
  var assignedStores: [ObjectKey: Int] = [:]

  init(
    parent: NSManagedObjectContext,
    sharing connection: ContextConnection,
    owner: NSManagedObjectContext
  ) {
    coordinator = connection.coordinator
    model = connection.model
    (registry, graph) = Self.graph(coordinator, owner)
    graph.recordKeyChanges()
    self.parent = ParentSource(parent: parent, graph: graph)
  }

  init(_ coordinator: NSPersistentStoreCoordinator, owner: NSManagedObjectContext) {
    self.coordinator = coordinator
    model = coordinator.frozen
    parent = nil
    (registry, graph) = Self.graph(coordinator, owner)
  }

  /// Returns a new graph and its registry.
  ///
  /// The graph has a second registry, through which objects that have left the context find their stores.
  private static func graph(
    _ coordinator: NSPersistentStoreCoordinator,
    _ owner: NSManagedObjectContext
  ) -> (ObjectRegistry, ObjectGraph) {
    let model = coordinator.frozen
    func registry(_ owner: AnyObject?) -> ObjectRegistry {
      ObjectRegistry(
        model: model.definition,
        modelObject: model,
        owner: owner,
        coordinator: coordinator,
        log: owner == nil ? nil : coordinator.registrations
      )
    }
    let living = registry(owner)
    return (living, ObjectGraph(registry: living, detached: registry(nil), host: owner))
  }
}
