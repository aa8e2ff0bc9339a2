// SPDX-License-Identifier: Apache-2.0

import Foundation

// Unsafe: declares a function internal to the standard library; `ManagedBuffer` uses the same function. No
// public function returns whether a class adds stored properties.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func bytesOfObjects(_ type: AnyClass) -> Int

extension FrozenModel {
  /// Returns the class of a new object of an entity, where `asked` is the class whose initialiser was called.
  ///
  /// The result is the entity's own class if that class is a subclass of `asked`, and otherwise `asked`.
  /// Stops the program if the subclass has stored properties, for which an object of `asked` has no memory.
  /// - Complexity: O(1).
  func managedObjectClass(
    at index: Int,
    asked: NSManagedObject.Type
  ) -> NSManagedObject.Type {
    let own = managedObjectClass(at: index)
    if own == asked || !own.inherits(from: asked) { return asked }
    guard bytesOfObjects(own) == bytesOfObjects(asked) else {
      Misuse.classIsLarger(own, than: asked, entity: entities[index].name ?? "")
    }
    return own
  }
}

extension NSManagedObject {
  /// Changes the class of a new object to `type`, a subclass without stored properties of its own.
  ///
  /// Swift's initialisers create objects of the class on which they are called, but Apple's initialiser
  /// creates an object of the entity's class.
  // Never inlined, so that the optimiser does not assume the old class in the rest of the initialiser.
  @inline(never)
  final func changeClass(to type: NSManagedObject.Type) {
    #if canImport(ObjectiveC)
    object_setClass(self, type)
    #else
    // Unsafe: the first word of an object is its class. Objects of both classes have the same memory
    // layout, so the word only determines which methods are called and which class is reported.
    let place = Unmanaged.passUnretained(self).toOpaque()
    // Unsafe: a class reference is one word, and both classes have the same memory layout.
    place.storeBytes(of: unsafeBitCast(type as AnyClass, to: UInt.self), as: UInt.self)
    #endif
  }

  class func inherits(from type: NSManagedObject.Type) -> Bool {
    var next: AnyClass? = _getSuperclass(self)
    while let current = next {
      if current == type { return true }
      next = _getSuperclass(current)
    }
    return false
  }
}
