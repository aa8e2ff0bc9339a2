// SPDX-License-Identifier: Apache-2.0

/// Objects in the order in which they were added, each once, held strongly.
package struct ObjectList {
  package private(set) var objects: [GraphObject] = []
  private var known: Set<ObjectIdentifier> = []

  package init() {}

  package var isEmpty: Bool { objects.isEmpty }

  /// Adds the object at the end; nothing where it is in the list.
  ///
  /// - Complexity: O(1) on average.
  package mutating func add(_ object: GraphObject) {
    if known.insert(ObjectIdentifier(object)).inserted { objects.append(object) }
  }
}
