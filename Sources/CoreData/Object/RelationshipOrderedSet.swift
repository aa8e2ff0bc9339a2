// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A mutable ordered set of the members of an ordered to-many.
///
/// A change of the set also changes the relationship and the inverse.
///
/// On Linux a subclass cannot override `array` or iteration, which read the superclass's members. The
/// superclass therefore stores a copy of the members, which is reloaded when the relationship is changed by
/// other means.
///
/// Source: documented, “mutableOrderedSetValue(forKey:)”.
final class RelationshipOrderedSet: NSMutableOrderedSet {
  private var owner: NSManagedObject?
  private var slot = 0
  /// The number of nested calls of `change` and `reloadMembers`; only the outermost call writes the
  /// relationship or reloads the members.
  private var depth = 0
  private var observation: NSKeyValueObservation?

  init(_ owner: NSManagedObject, slot: Int) {
    super.init(capacity: 0)
    self.owner = owner
    self.slot = slot
    reloadMembers()
    let name = owner.entityDefinition.properties[slot].name
    observation = owner.observe(key: name) { [weak self] _, _ in self?.reloadMembers() }
  }

  // The superclass requires these initialisers. They are never called.
  override init(capacity numItems: Int) { super.init(capacity: numItems) }
  required convenience init(arrayLiteral elements: Any...) {
    self.init(capacity: elements.count)
    super.addObjects(from: elements)
  }
  required init?(coder aDecoder: NSCoder) { nil }

  private func reloadMembers() {
    guard depth == 0, let owner else { return }
    depth += 1
    super.removeAllObjects()
    super.addObjects(from: owner.members(slot))
    depth -= 1
  }

  /// Changes the superclass's members with `body`, and then the relationship with `write`.
  ///
  /// If `write` is nil, the set becomes the new value of the relationship.
  private func change(_ body: () -> Void, _ write: ((NSManagedObject) -> Void)? = nil) {
    depth += 1
    body()
    if depth == 1, let owner {
      if let write { write(owner) } else { owner.setValue(self, forKey: name(owner)) }
    }
    depth -= 1
  }

  private func name(_ owner: NSManagedObject) -> String {
    owner.entityDefinition.properties[slot].name
  }

  // MARK: Single members

  override func insert(_ object: Any, at idx: Int) {
    change({ super.insert(object, at: idx) }, { $0.insertAny(object, at: idx, slot: self.slot) })
  }
  override func add(_ object: Any) {
    change({ super.add(object) }, { $0.insertAny(object, slot: self.slot) })
  }
  override func remove(_ val: Any) {
    change(
      { super.remove(val) },
      { owner in
        if let member = val as? NSManagedObject { owner.removeMember(member, slot: self.slot) }
      }
    )
  }
  override func removeObject(at idx: Int) {
    let member = object(at: idx) as? NSManagedObject
    change(
      { super.removeObject(at: idx) },
      { owner in if let member { owner.removeMember(member, slot: self.slot) } }
    )
  }

  // MARK: Several members

  override func replaceObject(at idx: Int, with obj: Any) {
    change { super.replaceObject(at: idx, with: obj) }
  }
  override func addObjects(from array: [Any]) { change { super.addObjects(from: array) } }
  override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
    change { super.exchangeObject(at: idx1, withObjectAt: idx2) }
  }
  override func moveObjects(at indexes: IndexSet, to idx: Int) {
    change { super.moveObjects(at: indexes, to: idx) }
  }
  override func insert(_ objects: [Any], at indexes: IndexSet) {
    change { super.insert(objects, at: indexes) }
  }
  override func setObject(_ obj: Any, at idx: Int) { change { super.setObject(obj, at: idx) } }
  override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
    change { super.replaceObjects(at: indexes, with: objects) }
  }
  override func removeObjects(in range: NSRange) { change { super.removeObjects(in: range) } }
  override func removeObjects(at indexes: IndexSet) { change { super.removeObjects(at: indexes) } }
  override func removeAllObjects() { change { super.removeAllObjects() } }
  override func removeObjects(in array: [Any]) { change { super.removeObjects(in: array) } }
  override func intersect(_ other: NSOrderedSet) { change { super.intersect(other) } }
  override func minus(_ other: NSOrderedSet) { change { super.minus(other) } }
  override func union(_ other: NSOrderedSet) { change { super.union(other) } }
  override func intersectSet(_ other: Set<AnyHashable>) { change { super.intersectSet(other) } }
  override func minusSet(_ other: Set<AnyHashable>) { change { super.minusSet(other) } }
  override func unionSet(_ other: Set<AnyHashable>) { change { super.unionSet(other) } }
  override func sort(comparator cmptr: (Any, Any) -> ComparisonResult) {
    change { super.sort(comparator: cmptr) }
  }
  override func sort(
    options opts: NSSortOptions = [],
    usingComparator cmptr: (Any, Any) -> ComparisonResult
  ) {
    change { super.sort(options: opts, usingComparator: cmptr) }
  }
  override func sortRange(
    _ range: NSRange,
    options opts: NSSortOptions = [],
    usingComparator cmptr: (Any, Any) -> ComparisonResult
  ) {
    change { super.sortRange(range, options: opts, usingComparator: cmptr) }
  }
  override func sort(using sortDescriptors: [NSSortDescriptor]) {
    change { super.sort(using: sortDescriptors) }
  }
}
