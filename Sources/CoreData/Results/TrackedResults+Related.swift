// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Objects that did not change themselves, but something that the list reads from them did.
extension TrackedResults {
  /// The objects from which the rules reach something in `changes`.
  ///
  /// `isLatest` says whether no other event came after that of the changes; then objects are left out of
  /// which nothing that is read was set.
  /// - Complexity: O(objects that lead to what changed); one statement for each relationship on the
  ///   way back that is not loaded, one for the whole way where a relationship has no inverse.
  func related(to changes: ContextChanges, isLatest: Bool) -> [AnyObject] {
    guard let paths = relatedPaths, !paths.places.isEmpty else { return [] }
    var changed = changes.inserted
    changed += changes.refreshed
    changed += changes.arrived
    var related: [AnyObject] = []
    for place in paths.places {
      let family = context.registry.model.entities[place.entity].family
      var sources = changed.filter { family.contains($0.key.entity) && isAlive($0) }
      sources += changes.updated.filter {
        family.contains($0.key.entity) && isAlive($0) && !(isLatest && isUnread($0, at: place))
      }
      if sources.isEmpty { continue }
      guard let back = place.back else {
        related += readers(paths.readers(of: sources.map(\.key), at: place)) as [AnyObject]
        continue
      }
      var current = sources
      for key in back { current = destinations(of: current, key) }
      related += current as [AnyObject]
    }
    return related
  }

  /// Everything that may match, or did, where rows are gone of which it is not known what led to them.
  ///
  /// - Complexity: O(rows) and one statement; nothing where the rules read no relationship.
  func all() -> [AnyObject] {
    guard let list, let paths = relatedPaths, paths.readsLinks else { return [] }
    if paths.isLimited { return list.objects }
    return list.objects + (readers(paths.matching) as [AnyObject])
  }

  /// The same where no relationship leads back: what the context's fetch gives.
  private func readers(_ question: FetchDescription) -> [NSManagedObject] {
    do {
      return try context.objects(matching: question)
    } catch {
      Diagnostics.error("A results controller cannot look for rows to move: \(cocoaError(error))")
      return []
    }
  }

  /// Whether nothing was set of what is read at the place.
  ///
  /// An object that goes over to another owner changes both owners, but their members alone.
  private func isUnread(_ object: NSManagedObject, at place: RelatedPaths.Place) -> Bool {
    guard let changed = object.detail?.changedInLastEvent, !changed.isEmpty else { return false }
    let properties = object.entityDefinition.properties
    return !changed.contains { place.keys.contains(properties[$0].name) }
  }

  private func isAlive(_ object: NSManagedObject) -> Bool {
    object.isManaged && !object.flags.contains(.deleted)
  }

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
      load(slot, of: owners)
      for owner in owners { keys += context.graph.memberKeys(owner, slot: slot) }
    }
    found += context.objects(for: keys)
    return found.filter(isAlive)
  }

  /// Reads a to-many of those that have not read it, together.
  private func load(_ slot: Int, of owners: [NSManagedObject]) {
    let graph = context.graph
    let unread = owners.filter { !$0.key.isTemporary && !graph.isLoaded($0, slot: slot) }
    if unread.count < 2 { return }
    for (_, owners) in Dictionary(grouping: unread, by: \.key.store) {
      // What cannot be read together each owner asks for itself, and stops with its own name.
      guard let members = try? context.loadMembers(of: owners.map(\.key), slot: slot),
        members.count == owners.count
      else {
        continue
      }
      for (owner, keys) in zip(owners, members) { graph.load(owner, slot: slot, members: keys) }
    }
  }
}
