// SPDX-License-Identifier: Apache-2.0

#if DEBUG
import _CoreDataModel

// In debug builds, comparisons of objects count as steps of `WorkCounter`, so that tests of growth notice a
// linear search in a list of objects.

/// Returns whether both references name the same object or are both nil; counts one step.
package func === (left: GraphObject?, right: GraphObject?) -> Bool {
  WorkCounter.add()
  return left.map(ObjectIdentifier.init) == right.map(ObjectIdentifier.init)
}

/// Returns whether the references name different objects; counts one step.
package func !== (left: GraphObject?, right: GraphObject?) -> Bool { !(left === right) }
#endif
