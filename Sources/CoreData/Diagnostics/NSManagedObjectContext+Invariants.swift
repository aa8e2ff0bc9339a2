// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension NSManagedObjectContext {
  /// Returns one line for each violated invariant of the context's graph; empty if all of them hold.
  ///
  /// For tests. If `followingLinks` is true, loaded relationships are followed as well: they must not
  /// name an object that is deleted or gone, and both sides must agree. Merge the saves of other contexts
  /// first.
  /// - Throws: errors of reading the destinations' rows.
  /// - Complexity: O(registered objects and their values), and one statement for each block of a
  ///   few hundred destinations.
  package func checkInvariants(followingLinks: Bool = true) throws -> [String] {
    checkQueue("checkInvariants()")
    guard isConnected else { return [] }
    return try graph.checkInvariants(followingLinks: followingLinks)
  }
}
