// SPDX-License-Identifier: Apache-2.0

import CoreData

/// When the levels merge what others save, and what they report.
extension ListLawWorld {
  // MARK: Queues

  /// Runs `work` on the queues of all levels.
  ///
  /// Merges that `work` brings about by itself run after it, not beside it on threads of their own: they
  /// report to the audience, which reads what `work` writes down.
  func holdingLevels<T>(_ work: () throws -> T) rethrows -> T { try holding(levels[...], work) }

  private func holding<T>(
    _ levels: ArraySlice<NSManagedObjectContext>,
    _ work: () throws -> T
  ) rethrows -> T {
    guard let level = levels.first else { return try work() }
    return try level.performAndWait { try holding(levels.dropFirst(), work) }
  }

  /// Lets the work that waits on the queues run, parents before children.
  func waitForQueues() {
    for context in levels + [below, other] + stale { context.performAndWait {} }
  }

  // MARK: Reports

  /// The controller's context has reported an event; the controller was told before.
  func recordEvent(_ notification: Notification) {
    var event: Set<ObjectIdentifier> = []
    for key in [
      NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey, NSDeletedObjectsKey,
    ] {
      for object in notification.userInfo?[key] as? Set<NSManagedObject> ?? [] {
        event.insert(ObjectIdentifier(object))
        touched[ObjectIdentifier(object)] = object
      }
    }
    audience.eventEnded(event, elsewhere)
  }

  func saved(_ notification: Notification, above parent: NSManagedObjectContext? = nil) {
    for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
      for object in notification.userInfo?[key] as? Set<NSManagedObject> ?? [] {
        elsewhere.insert(object.objectID)
      }
    }
    // A child that merges by itself is told of its parent's saves alone.
    let isTold =
      setting.mergesAutomatically
      && (parent == nil ? setting.depth == 0 : parent === levels[levels.count - 2])
    if !isTold { late.append(notification) }
  }

  // MARK: Merges by hand

  func mergeLate() throws {
    let notifications = late
    late = []
    for notification in notifications {
      note("merge")
      guard let source = notification.object as? NSManagedObjectContext else { continue }
      holdingLevels { merge(notification, of: source) }
    }
    waitForQueues()
  }

  private func merge(_ notification: Notification, of source: NSManagedObjectContext) {
    if source === other || stale.contains(where: { $0 === source }) {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: notification.userInfo ?? [:],
        into: levels
      )
    } else {
      for level in levels where level !== source && !isAbove(level, source) {
        level.performAndWait { level.mergeChanges(fromContextDidSave: notification) }
      }
    }
  }

  private func isAbove(_ level: NSManagedObjectContext, _ source: NSManagedObjectContext) -> Bool {
    guard let here = levels.firstIndex(where: { $0 === level }),
      let there = levels.firstIndex(where: { $0 === source })
    else { return false }
    return here < there
  }
}
