// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension NSManagedObjectContext {
  /// Returns a line for every loaded relationship of a registered object that names an object which is
  /// deleted or gone; empty where all is well.
  ///
  /// For tests; what other contexts saved has to be merged first.
  /// - Throws: what reading the destinations' rows throws.
  /// - Complexity: O(loaded links), and one statement for some hundred destinations.
  package func deadLinks() throws -> [String] {
    checkQueue("deadLinks()")
    guard isConnected else { return [] }
    return try graph.deadLinks().map(\.description)
  }
}
