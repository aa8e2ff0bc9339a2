// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// What a notification, or a dictionary of its form, says about saved objects, as keys of one context.
struct RemoteChanges {
  let inserted: [ObjectKey]
  let updated: [ObjectKey]
  let deleted: [ObjectKey]
  let invalidated: [ObjectKey]

  init(_ info: [AnyHashable: Any], in context: NSManagedObjectContext) {
    func keys(_ names: String...) -> [ObjectKey] {
      names.flatMap { Self.items(info[$0]).compactMap { Self.key($0, context) } }
    }
    func first(_ objects: String, _ ids: String) -> [ObjectKey] {
      // A notification with both says the same twice.
      info[objects] == nil ? keys(ids) : keys(objects)
    }
    inserted = first(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
    updated =
      first(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey)
      + first(NSRefreshedObjectsKey, NSRefreshedObjectIDsKey)
    deleted = first(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
    invalidated = first(NSInvalidatedObjectsKey, NSInvalidatedObjectIDsKey)
  }

  private static func items(_ value: Any?) -> [Any] {
    switch value {
    case let objects as Set<NSManagedObject>: Array(objects)
    case let ids as Set<NSManagedObjectID>: Array(ids)
    case let urls as Set<URL>: Array(urls)
    case let set as NSSet: set.allObjects
    case let array as [Any]: array
    case let set as Set<AnyHashable>: set.map(\.base)
    default: []
    }
  }

  /// Objects of another coordinator are found by their URIs.
  private static func key(_ item: Any, _ context: NSManagedObjectContext) -> ObjectKey? {
    switch item {
    case let object as NSManagedObject:
      if let coordinator = object.managedObjectContext?.coordinator {
        if coordinator === context.coordinator { return object.key }
      } else if object.frozenModel === context.frozenModel {
        return object.key
      }
      return context.localKey(object.objectID)
    case let id as NSManagedObjectID: return context.localKey(id)
    case let url as URL:
      return context.coordinator?.managedObjectID(forURIRepresentation: url)?.key
    case let text as String: return URL(string: text).flatMap { key($0, context) }
    default: return nil
    }
  }

  static func merge(_ info: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) {
    // What parents had to change besides; of another coordinator's contexts the keys mean nothing.
    var followers: [ObjectIdentifier: [ObjectKey]] = [:]
    for context in contexts.sorted(by: { depth($0) < depth($1) }) {
      context.performAndWait {
        guard context.isConnected else { return }
        let changes = RemoteChanges(info, in: context)
        let followed = context.parent.flatMap { followers[ObjectIdentifier($0)] } ?? []
        followers[ObjectIdentifier(context)] =
          followed
          + context.mergeSaved(
            inserted: changes.inserted,
            updated: changes.updated + followed,
            deleted: changes.deleted,
            invalidated: changes.invalidated,
            isPartial: true
          )
      }
    }
  }

  private static func depth(_ context: NSManagedObjectContext) -> Int {
    context.parent.map { depth($0) + 1 } ?? 0
  }
}
