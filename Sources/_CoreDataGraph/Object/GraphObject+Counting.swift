// SPDX-License-Identifier: Apache-2.0

#if DEBUG
import _CoreDataModel

// In debug builds, each comparison of objects counts as a step of `WorkCounter`, so that tests that count
// steps detect a linear search in an array of objects.

/// Returns whether both references are nil or refer to the same object; counts one step.
package func === (left: GraphObject?, right: GraphObject?) -> Bool {
  WorkCounter.add()
  return left.map(ObjectIdentifier.init) == right.map(ObjectIdentifier.init)
}

/// Returns the negation of `===`; counts one step.
package func !== (left: GraphObject?, right: GraphObject?) -> Bool { !(left === right) }
#endif
