// SPDX-License-Identifier: Apache-2.0

import Foundation

// Unsafe: the standard library's own function, which `ManagedBuffer` is inlined with; nothing public tells
// whether a class adds stored properties.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func bytesOfObjects(_ type: AnyClass) -> Int

extension FrozenModel {
  /// The class of a new object of an entity, where `asked` was told to make it: the entity's own class
  /// where that is a subclass, else `asked`.
  ///
  /// A subclass with stored properties, which an object of `asked` has no place for, stops the program.
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
  /// Makes a new object one of `type`, a subclass without stored properties of its own.
  ///
  /// Swift's initialisers give objects of the class that was asked; Apple's gives one of the entity's.
  // Never inline: the initialiser goes on with an object whose class nobody has looked at before.
  @inline(never)
  final func become(_ type: NSManagedObject.Type) {
    #if canImport(ObjectiveC)
    object_setClass(self, type)
    #else
    // Unsafe: an object's first word is its class. Both classes lay out the same bytes, so all that the
    // word decides is which methods are called and which class is told.
    let place = Unmanaged.passUnretained(self).toOpaque()
    // Unsafe: as above; a class is one word.
    place.storeBytes(of: unsafeBitCast(type as AnyClass, to: UInt.self), as: UInt.self)
    #endif
  }

  /// Whether `type` is a superclass of this class.
  class func inherits(from type: NSManagedObject.Type) -> Bool {
    var next: AnyClass? = _getSuperclass(self)
    while let current = next {
      if current == type { return true }
      next = _getSuperclass(current)
    }
    return false
  }
}
