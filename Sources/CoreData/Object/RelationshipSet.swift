// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// A mutable set of the members of a to-many.
///
/// A change of the set also changes the relationship and the inverse.
///
/// On Linux a subclass of `NSSet` cannot be cast to `Set`; use `allObjects` or `copy()` instead.
///
/// Source: documented, “mutableSetValue(forKey:)”.
final class RelationshipSet: NSMutableSet {
  private var owner: NSManagedObject?
  private var slot = 0

  convenience init(_ owner: NSManagedObject, slot: Int) {
    self.init(capacity: 0)
    self.owner = owner
    self.slot = slot
  }

  // The superclass requires these initialisers. The second one is never called.
  required init(capacity numItems: Int) { super.init(capacity: numItems) }
  required init?(coder aDecoder: NSCoder) { nil }

  private var members: [NSManagedObject] { owner?.members(slot) ?? [] }

  private func members(_ objects: Set<AnyHashable>) -> [NSManagedObject] {
    objects.compactMap { $0.base as? NSManagedObject }
  }

  // MARK: Reading

  override var count: Int { owner?.memberCount(slot) ?? 0 }
  override func member(_ object: Any) -> Any? {
    guard let object = object as? NSManagedObject else { return nil }
    return owner?.hasMember(object, slot: slot) == true ? object : nil
  }
  override var allObjects: [Any] { members }
  override func objectEnumerator() -> NSEnumerator { MemberEnumerator(members) }
  override func enumerateObjects(
    options opts: NSEnumerationOptions = [],
    using block: (Any, UnsafeMutablePointer<ObjCBool>) -> Void
  ) {
    var stop = ObjCBool(false)
    for member in members {
      block(member, &stop)
      if stop.boolValue { return }
    }
  }
  override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: allObjects) }
  override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: allObjects) }
  override var description: String { NSSet(array: allObjects).description }

  // MARK: Writing

  override func add(_ object: Any) { owner?.insertAny(object, slot: slot) }
  override func remove(_ object: Any) {
    if let member = object as? NSManagedObject { owner?.removeMember(member, slot: slot) }
  }
  override func addObjects(from array: [Any]) { for object in array { add(object) } }
  override func removeAllObjects() { owner?.writeMembers([], slot: slot) }
  override func union(_ otherSet: Set<AnyHashable>) { for object in otherSet { add(object.base) } }
  override func minus(_ otherSet: Set<AnyHashable>) {
    for object in members(otherSet) { remove(object) }
  }
  override func intersect(_ otherSet: Set<AnyHashable>) {
    for member in members where !otherSet.contains(member) { remove(member) }
  }
  override func setSet(_ otherSet: Set<AnyHashable>) {
    owner?.writeMembers(members(otherSet), slot: slot)
  }
}

/// Enumerates the members faster than Foundation's enumerators, which inspect the class of each member.
private final class MemberEnumerator: NSEnumerator {
  private let members: [NSManagedObject]
  @exclusivity(unchecked) private var next = 0

  init(_ members: [NSManagedObject]) { self.members = members }

  override func nextObject() -> Any? {
    if next == members.count { return nil }
    next += 1
    return members[next - 1]
  }
}

extension NSManagedObject {
  /// Returns the number of members of a to-many without reading their rows.
  final func memberCount(_ slot: Int) -> Int {
    checkQueue(slot, "valueForKey")
    return context?.graph.memberKeys(self, slot: slot).count ?? members(slot).count
  }

  final func hasMember(_ object: NSManagedObject, slot: Int) -> Bool {
    checkQueue(slot, "valueForKey")
    guard let context else { return members(slot).contains { $0 === object } }
    return object.registry === registry
      && context.graph.isMember(object.key, of: self, slot: slot)
  }

  /// Inserts an object as a member.
  ///
  /// Stops the program if `object` is not a managed object. If the owner is in a context, also stops the
  /// program if `object` is not in the same context or is not of the destination entity.
  final func insertAny(_ object: Any, at index: Int? = nil, slot: Int) {
    guard let member = object as? NSManagedObject else {
      Misuse.unacceptableValue(object, property: entityDefinition.properties[slot], of: self)
    }
    insertMember(member, at: index, slot: slot)
  }
}
