// SPDX-License-Identifier: Apache-2.0

#if DEBUG
import _CoreDataModel

// Comparisons of objects are steps of `WorkCounter`, so that a search in a list of objects is seen by
// tests of growth. Release builds use the standard library's operators.

/// Whether both are the same object, or both nil; counted.
package func === (left: GraphObject?, right: GraphObject?) -> Bool {
  WorkCounter.add()
  return left.map(ObjectIdentifier.init) == right.map(ObjectIdentifier.init)
}

/// Whether they are different objects; counted.
package func !== (left: GraphObject?, right: GraphObject?) -> Bool { !(left === right) }
#endif
