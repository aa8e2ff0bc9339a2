// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// All observations of the process that began with a selector, by observer.
///
/// Without the Objective-C runtime, an observer cannot store its observations, so they are in one table. If
/// an observer was deallocated, its observations end with their next notification, or when the table has
/// doubled in size since it was last searched for such observations.
enum SelectorObservations {
  private struct Table {
    var observations: [ObjectIdentifier: [SelectorObservation]] = [:]
    var count = 0
    /// The count above which the table is searched for observations of deallocated observers.
    var limit = 64

    /// Removes the matching observations of one observer, and returns them.
    mutating func remove(
      _ observer: ObjectIdentifier,
      where matches: (SelectorObservation) -> Bool
    ) -> [SelectorObservation] {
      guard let known = observations[observer] else { return [] }
      let kept = known.filter { !matches($0) }
      observations[observer] = kept.isEmpty ? nil : kept
      count -= known.count - kept.count
      return known.filter(matches)
    }

    mutating func removeDead() -> [SelectorObservation] {
      let dead = observations.keys.flatMap { remove($0) { !$0.isAlive } }
      limit = max(64, 2 * count)
      return dead
    }
  }

  private static let table = Mutex(Table())

  /// The number of observations in the table.
  static var count: Int { table.withLock(\.count) }

  static func add(_ observation: SelectorObservation, of observer: AnyObject) {
    let key = ObjectIdentifier(observer)
    let dead = table.withLock { table in
      // These are observations of a deallocated observer that had the same address.
      var dead = table.remove(key) { !$0.isAlive }
      table.observations[key, default: []].append(observation)
      table.count += 1
      if table.count > table.limit { dead += table.removeDead() }
      return dead
    }
    for observation in dead { observation.end() }
  }

  /// Ends the observations of `observer` that have the name and the sender.
  ///
  /// The observer may be in its `deinit`, where weak references to it are nil, so the method compares its
  /// address.
  static func remove(
    of observer: AnyObject,
    in center: NotificationCenter,
    name: Notification.Name?,
    sender: AnyObject?
  ) {
    let removed = table.withLock { table in
      table.remove(ObjectIdentifier(observer)) {
        $0.center === center && $0.matches(name, sender)
      }
    }
    for observation in removed { observation.end() }
  }

  /// Ends the observations whose observer or center was deallocated, including `observation`.
  static func remove(_ observation: SelectorObservation) {
    let dead = table.withLock { $0.removeDead() }
    for observation in dead { observation.end() }
  }
}
