// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel

/// A coordinator, its model and the graph of one context's objects.
///
/// Replaced as a whole when the context gets another coordinator or parent, which it may before it has
/// objects.
final class ContextConnection {
  let coordinator: NSPersistentStoreCoordinator
  let model: FrozenModel
  let registry: ObjectRegistry
  let graph: ObjectGraph
  /// Nil for a context of a coordinator.
  let parent: ParentSource?
  @exclusivity(unchecked) var faultMaker: FaultMaker?
  /// New objects' keys → the stores that were chosen for them.
  var assignedStores: [ObjectKey: Int] = [:]

  /// The connection of a child: the coordinator and the model of its parent's connection.
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

  /// Objects that have left the context still find their stores.
  private static func graph(
    _ coordinator: NSPersistentStoreCoordinator,
    _ owner: NSManagedObjectContext
  ) -> (ObjectRegistry, ObjectGraph) {
    let model = coordinator.frozen
    func registry(_ owner: AnyObject?) -> ObjectRegistry {
      ObjectRegistry(
        model: model.definition,
        companion: model,
        owner: owner,
        home: coordinator
      )
    }
    let living = registry(owner)
    return (living, ObjectGraph(registry: living, detached: registry(nil), host: owner))
  }
}
