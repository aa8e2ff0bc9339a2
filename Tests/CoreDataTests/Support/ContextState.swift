// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// All that a context says of its objects, to see that something has changed none of it.
struct ContextState: Equatable {
  let picture: [String]
  let inserted: Set<NSManagedObject>
  let updated: Set<NSManagedObject>
  let deleted: Set<NSManagedObject>
  let registered: Set<NSManagedObjectID>
  /// Of each unsaved object: what changed since the save and in the event, and what was before.
  let changes: [NSManagedObjectID: [String]]
  let undo: [Bool]

  init(_ edits: any RandomEdits) throws {
    let context = edits.context
    picture = try edits.picture(transients: true)
    inserted = context.insertedObjects
    updated = context.updatedObjects
    deleted = context.deletedObjects
    registered = Set(context.registeredObjects.map(\.objectID))
    undo = [context.undoManager?.canUndo ?? false, context.undoManager?.canRedo ?? false]
    var changes: [NSManagedObjectID: [String]] = [:]
    for object in updated.union(inserted).union(deleted) {
      let names = Array(object.entity.attributesByName.filter { !$0.value.isTransient }.keys)
      changes[object.objectID] =
        object.changedValuesForCurrentEvent().keys.sorted().map { "now \($0)" }
        + object.changedValues().map { "\($0): \(Self.text($1))" }.sorted()
        + object.committedValues(forKeys: names).map { "was \($0): \(Self.text($1))" }.sorted()
        + ["\(object.isInserted) \(object.isUpdated) \(object.isDeleted) \(object.isFault)"]
    }
    self.changes = changes
  }

  /// Objects by their IDs, whose descriptions have addresses.
  private static func text(_ value: Any) -> String {
    switch value {
    case let object as NSManagedObject: object.objectID.uriRepresentation().absoluteString
    case let set as NSOrderedSet: "\(set.array.map(text))"
    case let set as NSSet: "\(set.allObjects.map(text).sorted())"
    default: "\(value)"
    }
  }

  /// What the two say differently.
  func differences(_ other: ContextState) -> String {
    var found = [picture.differences(other.picture)]
    if inserted != other.inserted { found.append("inserted") }
    if updated != other.updated { found.append("updated") }
    if deleted != other.deleted { found.append("deleted") }
    if registered != other.registered { found.append("registered") }
    if undo != other.undo { found.append("undo") }
    for (id, texts) in changes where other.changes[id] != texts {
      found.append("\(id.uriRepresentation()): \(texts) and \(other.changes[id] ?? [])")
    }
    return found.joined(separator: "\n")
  }
}

extension [String] {
  /// What is in one picture alone, a line each; empty where both are equal.
  func differences(_ other: [String]) -> String {
    if self == other { return "" }
    let alone = filter { !other.contains($0) }.map { "- \($0)" }
    return "\n" + (alone + other.filter { !contains($0) }.map { "+ \($0)" }).joined(separator: "\n")
  }
}

/// Ends the test where two pictures differ, and tells what is in one alone.
func requireSame(
  _ left: [String],
  _ right: [String],
  _ place: String,
  at location: SourceLocation = #_sourceLocation
) throws {
  let found = left.differences(right)
  try #require(found.isEmpty, "\(place): \(found)", sourceLocation: location)
}
