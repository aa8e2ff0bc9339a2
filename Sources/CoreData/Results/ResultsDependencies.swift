// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// What a results list reads: the entities of its own objects, and the paths to the related objects on which
/// the predicate, the order or the section of its objects depends.
struct ResultsDependencies {
  /// The indexes of the entities whose objects the list may contain.
  let shownEntities: Range<Int>
  /// The indexes of the shown entities and of the entities on the paths to related objects.
  let readEntities: Set<Int>
  private let paths: RelatedPaths
  private let context: NSManagedObjectContext

  init(_ paths: RelatedPaths, shownEntities: Range<Int>, in context: NSManagedObjectContext) {
    self.paths = paths
    self.shownEntities = shownEntities
    self.context = context
    readEntities = paths.entities.union(shownEntities)
  }

  /// Returns the objects whose membership, position or section in the list may depend on a changed object.
  ///
  /// `isLatest` is true if no other event followed the event of the changes. Only in that case are the
  /// changed properties of an updated object known, so that the object can be skipped if the list does not
  /// read these properties.
  /// - Complexity: O(objects on the paths from changed objects back to the list's objects), and statements
  ///   for the relationships that are not loaded.
  func readers(of changes: ContextChanges, isLatest: Bool) -> [AnyObject] {
    if paths.pathEnds.isEmpty { return [] }
    var changed = changes.inserted
    changed += changes.refreshed
    changed += changes.arrived
    var readers: [AnyObject] = []
    for pathEnd in paths.pathEnds {
      let family = context.registry.model.entities[pathEnd.entity].family
      var sources = changed.filter { family.contains($0.key.entity) && isAlive($0) }
      sources += changes.updated.filter {
        family.contains($0.key.entity) && isAlive($0) && !(isLatest && isUnread($0, at: pathEnd))
      }
      if sources.isEmpty { continue }
      guard let back = pathEnd.back else {
        readers += fetched(paths.readers(of: sources.map(\.key), at: pathEnd)) as [AnyObject]
        continue
      }
      var current = sources
      for key in back { current = destinations(of: current, key) }
      readers += current as [AnyObject]
    }
    return readers
  }

  /// Returns the objects to check after rows were deleted from the store, if it is not known which objects
  /// referred to the deleted rows.
  ///
  /// These are all objects of the list and, if the fetch has neither a limit nor an offset, all objects that
  /// match the predicate. The result is empty if the list reads no relationship.
  /// - Complexity: O(rows), in addition to a fetch; O(1) if the list reads no relationship.
  func candidates(for list: ResultsList) -> [AnyObject] {
    if !paths.readsLinks { return [] }
    if paths.isLimited { return list.objects }
    return list.objects + (fetched(paths.matching) as [AnyObject])
  }

  /// Returns the objects of a fetch; if the fetch fails, logs the error and returns an empty array, because
  /// the handler of an event cannot throw.
  private func fetched(_ description: FetchDescription) -> [NSManagedObject] {
    do {
      return try context.objects(matching: description)
    } catch {
      Diagnostics.error(
        "A fetched results controller of the entity "
          + "\(context.registry.model.entities[description.entity].name) cannot fetch the objects that are "
          + "affected by changed or deleted related objects, so its content may be out of date until the "
          + "next performFetch(): \(cocoaError(error))"
      )
      return []
    }
  }

  /// Whether the list does not read any changed property of `object` at `pathEnd`; false if the changed
  /// properties are not known.
  ///
  /// For example, when a member moves to another owner, both owners count as updated, but only their to-many
  /// has changed. A list that does not read the to-many can ignore these updates.
  private func isUnread(_ object: NSManagedObject, at pathEnd: RelatedPaths.PathEnd) -> Bool {
    guard let changed = object.detail?.changedInLastEvent, !changed.isEmpty else { return false }
    let properties = object.entityDefinition.properties
    return !changed.contains { pathEnd.keys.contains(properties[$0].name) }
  }

  private func isAlive(_ object: NSManagedObject) -> Bool {
    object.isManaged && !object.flags.contains(.deleted)
  }

  // MARK: Inverse relationships

  private func destinations(of objects: [NSManagedObject], _ key: String) -> [NSManagedObject] {
    var owners: [Int: [NSManagedObject]] = [:]
    var found: [NSManagedObject] = []
    for object in objects {
      guard let property = object.property(key), property.relationship != nil else { continue }
      if property.isToMany {
        owners[property.slot, default: []].append(object)
      } else if let destination = object.reference(property.slot) {
        found.append(destination)
      }
    }
    var keys: [ObjectKey] = []
    for (slot, owners) in owners {
      loadMembers(of: owners, slot: slot)
      for owner in owners { keys += context.graph.memberKeys(owner, slot: slot) }
    }
    found += context.objects(for: keys)
    return found.filter(isAlive)
  }

  /// Loads the members of a to-many for several owners together; does nothing if fewer than two owners have
  /// members to load.
  private func loadMembers(of owners: [NSManagedObject], slot: Int) {
    let graph = context.graph
    let unread = owners.filter { !$0.key.isTemporary && !graph.isLoaded($0, slot: slot) }
    if unread.count < 2 { return }
    for (_, owners) in Dictionary(grouping: unread, by: \.key.store) {
      // The error is dropped: each owner then loads its own members, so that an error names the ID of that
      // owner.
      guard let members = try? context.loadMembers(of: owners.map(\.key), slot: slot),
        members.count == owners.count
      else {
        continue
      }
      for (owner, keys) in zip(owners, members) { graph.load(owner, slot: slot, members: keys) }
    }
  }
}
