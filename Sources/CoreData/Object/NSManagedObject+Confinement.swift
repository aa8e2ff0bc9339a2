// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension NSManagedObject {
  /// Checks the queue like `NSManagedObjectContext.checkQueue(_:_:)`, for reading or writing one property.
  @inline(__always)
  final func checkQueue(_ slot: Int, _ verb: StaticString) {
    if isConfined { verifyQueue(slot, verb) }
  }

  /// Checks the queue like `NSManagedObjectContext.checkQueue(_:_:)`, for a method that concerns the whole
  /// object.
  @inline(__always)
  final func checkQueue(_ call: StaticString) {
    if isConfined { context?.verifyQueue("-[\(type(of: self)) \(call)]", self) }
  }

  @inline(never)
  private final func verifyQueue(_ slot: Int, _ verb: StaticString) {
    guard let context else { return }
    let properties = entityDefinition.properties
    let key = properties.indices.contains(slot) ? properties[slot].name : "?"
    context.verifyQueue("-[\(type(of: self)) \(verb):\(key)]", self)
  }
}
