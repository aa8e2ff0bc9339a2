// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ToMany {
  /// Returns one line for each broken invariant, for tests.
  ///
  /// - Complexity: O(members).
  package func brokenInvariants() -> [String] {
    var copy = self
    let keys = copy.keys
    let members = Set(keys)
    var found: [String] = []
    if members.count != keys.count { found.append("a member is listed twice") }
    if !added.isDisjoint(with: removed) { found.append("a key is both added and removed") }
    if !members.isDisjoint(with: removed) { found.append("a removed key is a member") }
    if !added.isSubset(of: members) { found.append("an added key is not a member") }
    if !members.allSatisfy({ copy.contains($0) }) {
      found.append("contains(_:) returns false for a member")
    }
    guard let stored = copy.stored else {
      if members != added {
        found.append("the members of a to-many that is not loaded differ from its added keys")
      }
      return found
    }
    let expected = Set(stored).subtracting(removed).union(added)
    if members != expected {
      found.append("the members differ from the stored members with the changes applied")
    }
    if !removed.isSubset(of: stored) { found.append("a removed key is not a stored member") }
    if !added.isDisjoint(with: stored) { found.append("an added key is a stored member") }
    return found
  }
}
