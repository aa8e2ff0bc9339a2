// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Merges changes into contexts; the changes come from a save notification or a dictionary with the same
/// keys.
enum RemoteChanges {
  /// Returns the object keys, in `context`, of the objects, IDs and URIs that `info` lists.
  ///
  /// Items that do not identify an object of the context's stores are left out.
  static func keys(_ info: [AnyHashable: Any], in context: NSManagedObjectContext) -> SavedKeys {
    func keys(_ names: String...) -> [ObjectKey] {
      names.flatMap { items(info[$0]).compactMap { key($0, context) } }
    }
    func first(_ objects: String, _ ids: String) -> [ObjectKey] {
      // If `info` contains both names, both lists contain the same objects.
      info[objects] == nil ? keys(ids) : keys(objects)
    }
    var saved = SavedKeys()
    saved.inserted = first(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
    saved.updated =
      first(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey)
      + first(NSRefreshedObjectsKey, NSRefreshedObjectIDsKey)
    saved.deleted = first(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
    saved.invalidated = first(NSInvalidatedObjectsKey, NSInvalidatedObjectIDsKey)
    return saved
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

  /// Returns the key of an object, an ID, or a URI as a URL or a string; nil if `item` does not identify an
  /// object of the context's stores.
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

  /// Merges `info` into each context on the context's queue, parents before their children; contexts without
  /// a coordinator are skipped.
  static func merge(_ info: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) {
    for context in contexts.sorted(by: { depth($0) < depth($1) }) {
      context.performAndWait {
        guard context.isConnected else { return }
        var saved = keys(info, in: context)
        saved.isPartial = true
        context.mergeSaved(saved)
      }
    }
  }

  private static func depth(_ context: NSManagedObjectContext) -> Int {
    context.parent.map { depth($0) + 1 } ?? 0
  }
}

extension NSManagedObjectContext {
  func mergeNotification(_ notification: Notification) {
    checkQueue("mergeChanges(fromContextDidSave:)")
    guard let info = notification.userInfo, isConnected else { return }
    var saved = RemoteChanges.keys(info, in: self)
    // The notification of a save that deletes objects also lists, as updated, the objects that lost a
    // reference to a deleted object. A notification without updated objects may be incomplete.
    saved.isPartial = saved.updated.isEmpty
    mergeSaved(saved)
  }

  static func mergeRemoteChanges(
    _ info: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    RemoteChanges.merge(info, into: contexts)
  }

  func mergeSaved(_ saved: SavedKeys) {
    checkQueue("mergeChanges(fromContextDidSave:)")
    guard isConnected else { return }
    var merge = ContextMerge(of: saved, into: self)
    merge.run()
  }
}
