// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension ObjectGraph {
  /// Checks the keys, flags, rows and to-manys of the registered objects, the groups of unsaved objects, the
  /// current event, and the journals.
  ///
  /// - Parameter followingLinks: whether to check also that the destinations of loaded relationships exist
  ///   and that both sides agree. This check reads the rows of the destinations, and is meaningful only after
  ///   all saves of other contexts have been merged.
  /// - Returns: one line for each broken rule; an empty array for a sound graph.
  /// - Throws: an error from reading the rows.
  /// - Complexity: O(registered objects and their values); with links, also that of `deadLinks()` and
  ///   `oneSidedLinks()`.
  package func checkInvariants(followingLinks: Bool = true) throws -> [String] {
    let objects = registry.objects
    var found = groupFaults(objects) + eventFaults(objects) + journalFaults()
    for object in objects {
      let name = "\(object.entityDefinition.name) \(object.key)"
      found += (identityFaults(object) + rowFaults(object) + toManyFaults(object)).map {
        "\(name): \($0)"
      }
    }
    if followingLinks { found += try deadLinks().map(\.description) + oneSidedLinks() }
    return found
  }

  // MARK: Collaborators

  private func groupFaults(_ objects: [GraphObject]) -> [String] {
    var found: [String] = []
    let groups = [
      ("inserted", inserted, ObjectFlags.inserted), ("updated", updated, .updated),
      ("deleted", deleted, .deleted),
    ]
    var known: Set<ObjectIdentifier> = []
    for (name, group, flag) in groups {
      for object in group {
        if !object.flags.contains(flag) {
          found.append("\(object.key) is among the \(name) objects but lacks the flag '\(name)'")
        }
        if object.registry !== registry {
          found.append("\(object.key) is among the \(name) objects but has left the context")
        }
        if !known.insert(ObjectIdentifier(object)).inserted {
          found.append("\(object.key) is twice among the \(name) objects, or also in another group")
        }
      }
    }
    for object in objects
    where !object.flags.isDisjoint(with: .unsaved) && !object.flags.contains(.discarded)
      && !known.contains(ObjectIdentifier(object))
    {
      found.append("\(object.key) has an unsaved change but is in no group of unsaved objects")
    }
    return found
  }

  private func eventFaults(_ objects: [GraphObject]) -> [String] {
    var found: [String] = []
    let touched = event.objects
    if Set(touched.map(ObjectIdentifier.init)).count != touched.count {
      found.append("the event contains an object twice")
    }
    let known = Set(touched.map(ObjectIdentifier.init))
    for object in objects
    where !object.flags.isDisjoint(with: .inEvent) && !known.contains(ObjectIdentifier(object)) {
      found.append(
        "\(object.key) has changed since the last processing of pending changes but is not in the event"
      )
    }
    return found
  }

  private func journalFaults() -> [String] {
    var found: [String] = []
    if journals.isOpen != (journals.undo != nil || journals.merge != nil) {
      found.append(
        "ChangeJournals.isOpen is \(journals.isOpen), but "
          + (journals.isOpen ? "no journal is open" : "the undo or the merge journal is open")
      )
    }
    if merge?.backup?.journal !== journals.merge {
      found.append("the open merge journal is not that of the merge session")
    }
    return found
  }

  // MARK: Objects

  private func identityFaults(_ object: GraphObject) -> [String] {
    var found: [String] = []
    if object.registry !== registry {
      found.append("the object is registered here but belongs to another context")
    }
    if registry.object(for: object.key) !== object {
      found.append("the registry does not return the object for the object's key")
    }
    if keys.permanentKey(for: object.key) != nil {
      found.append("the object still has a key that was replaced")
    }
    let flags = object.flags
    if flags.isSuperset(of: [.inserted, .deleted]) && !flags.contains(.discarded) {
      found.append("the object is both inserted and deleted, but not marked as discarded")
    }
    if flags.isSuperset(of: [.inserted, .fault]) {
      found.append("the object is inserted but is a fault")
    }
    if flags.contains(.unrecorded) {
      found.append("the object is still marked as unrecorded after its fault fired")
    }
    return found
  }

  private func rowFaults(_ object: GraphObject) -> [String] {
    guard let chunk = object.chunk else {
      return object.flags.contains(.fault) ? [] : ["the object is not a fault but has no row"]
    }
    var found = chunk.brokenInvariants(ofRow: object.rowIndex)
    if chunk.layout.kinds.count != object.entityDefinition.properties.count {
      found.append("the object has a row of an entity other than its own")
    }
    if !found.isEmpty { return found }
    found += referenceFaults(object, (chunk, object.rowIndex))
    guard let detail = object.detail else { return found }
    if let base = detail.base {
      found += base.chunk.brokenInvariants(ofRow: base.row)
      if object.flags.contains(.inserted) {
        found.append("the object is inserted but has a base")
      }
      if base.chunk === chunk && base.row == object.rowIndex {
        found.append("the object's base is its current row")
      }
    }
    return found
  }

  private func referenceFaults(_ object: GraphObject, _ place: ChunkRow) -> [String] {
    object.entityDefinition.toOneSlots.compactMap { slot in
      guard let key = key(place, slot),
        let relationship = object.entityDefinition.properties[slot].relationship
      else { return nil }
      let property = object.entityDefinition.properties[slot].name
      guard key.entity < model.entities.count else {
        return
          "\(property) leads to an object of an entity that is not in the model (index \(key.entity))"
      }
      let destination = model.entities[relationship.destination]
      return model.entities[key.entity].root == destination.root
        ? nil
        : "\(property) leads to an object of \(model.entities[key.entity].name), which is not in the "
          + "hierarchy of \(destination.name)"
    }
  }

  private func toManyFaults(_ object: GraphObject) -> [String] {
    guard let toManys = object.detail?.toManys else { return [] }
    let entity = object.entityDefinition
    return entity.toManySlots.enumerated().flatMap { position, slot -> [String] in
      let name = entity.properties[slot].name
      return toManys[position]?.brokenInvariants().map { "\(name): \($0)" } ?? []
    }
  }
}
