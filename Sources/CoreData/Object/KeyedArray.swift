// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A mutable array of the members of an ordered to-many, or of the elements of an attribute's array.
///
/// Changing the array changes the property.
///
/// Source: documented, “mutableArrayValue(forKey:)”.
final class KeyedArray: NSMutableArray {
  private var owner: NSManagedObject?
  private var key = ""
  /// The mutable ordered set for the to-many, which changes with the relationship; nil for an attribute.
  private var relationship: NSMutableOrderedSet?

  init(_ owner: NSManagedObject, _ key: String, relationship: NSMutableOrderedSet?) {
    super.init(capacity: 0)
    self.owner = owner
    self.key = key
    self.relationship = relationship
  }

  // The superclass requires these initialisers. They are never called.
  override init(capacity numItems: Int) { super.init(capacity: numItems) }
  required init(objects: UnsafePointer<AnyObject>?, count cnt: Int) {
    super.init(objects: objects, count: cnt)
  }
  required init(arrayLiteral elements: Any...) { super.init(capacity: elements.count) }
  required init?(coder aDecoder: NSCoder) { nil }

  /// The elements of the attribute's array.
  private var members: [Any] {
    guard let owner, let value = owner.value(forKey: key) else { return [] }
    if let array = value as? NSArray { return array.map { $0 } }
    guard let array = value as? [Any] else { Misuse.valueIsNoArray(value, key, of: owner) }
    return array
  }

  private func change(_ body: (inout [Any]) -> Void) {
    guard let owner else { return }
    var members = members
    body(&members)
    let isObject = owner.value(forKey: key) as? NSArray != nil
    owner.setValue(isObject ? NSArray(array: members) : members, forKey: key)
  }

  override var count: Int { relationship?.count ?? members.count }
  override func object(at index: Int) -> Any {
    relationship?.object(at: index) ?? members[index]
  }
  override func insert(_ anObject: Any, at index: Int) {
    if let relationship { return relationship.insert(anObject, at: index) }
    change { $0.insert(anObject, at: index) }
  }
  override func add(_ anObject: Any) { insert(anObject, at: count) }
  override func removeObject(at index: Int) {
    if let relationship { return relationship.removeObject(at: index) }
    change { $0.remove(at: index) }
  }
  override func removeLastObject() { removeObject(at: count - 1) }
  override func replaceObject(at index: Int, with anObject: Any) {
    if let relationship { return relationship.replaceObject(at: index, with: anObject) }
    change { $0[index] = anObject }
  }
  override func removeAllObjects() {
    if let relationship { return relationship.removeAllObjects() }
    change { $0 = [] }
  }
  override func setArray(_ otherArray: [Any]) {
    if relationship == nil { return change { $0 = otherArray } }
    owner?.setValue(NSOrderedSet(array: otherArray), forKey: key)
  }
}
