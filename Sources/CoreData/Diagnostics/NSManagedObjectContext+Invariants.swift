// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension NSManagedObjectContext {
  /// Returns one line for each violated invariant of the context's graph; empty if all of them hold.
  ///
  /// For tests. If `followingLinks` is true, the method also checks that loaded relationships do not lead to
  /// an object that is deleted or gone, and that they agree with their inverses. Merge the saves of other
  /// contexts before calling this method.
  /// - Throws: errors of reading the destinations' rows.
  /// - Complexity: O(values of the registered objects), and statements for the destinations.
  package func checkInvariants(followingLinks: Bool = true) throws -> [String] {
    checkQueue("checkInvariants()")
    guard isConnected else { return [] }
    return try graph.checkInvariants(followingLinks: followingLinks)
  }
}
