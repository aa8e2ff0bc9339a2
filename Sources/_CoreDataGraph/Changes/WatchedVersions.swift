// SPDX-License-Identifier: Apache-2.0

/// The objects whose versions the next save checks even if the objects have no changes.
///
/// The objects are retained. Source: documented, “detectConflicts(for:)”.
package struct WatchedVersions {
  /// The objects in the order in which they were added; each object occurs once.
  package private(set) var objects: [GraphObject] = []
  private var known: Set<ObjectIdentifier> = []

  package init() {}

  package var isEmpty: Bool { objects.isEmpty }

  /// Adds the object at the end; does nothing if the object is watched already.
  ///
  /// - Complexity: O(1) on average.
  package mutating func add(_ object: GraphObject) {
    if known.insert(ObjectIdentifier(object)).inserted { objects.append(object) }
  }

  /// Stops watching every object.
  package mutating func removeAll() { self = WatchedVersions() }
}
