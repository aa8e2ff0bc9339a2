// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension NSManagedObjectContext {
  /// Returns a line for each rule of the context's graph that does not hold; empty where all is well.
  ///
  /// For tests. Loaded relationships are followed where `followingLinks`: they must not name an object which is
  /// deleted or gone; what other contexts saved has to be merged first.
  /// - Throws: what reading the destinations' rows throws.
  /// - Complexity: O(registered objects and their values), and one statement for some hundred destinations.
  package func checkInvariants(followingLinks: Bool = true) throws -> [String] {
    checkQueue("checkInvariants()")
    guard isConnected else { return [] }
    return try graph.checkInvariants(followingLinks: followingLinks)
  }
}
