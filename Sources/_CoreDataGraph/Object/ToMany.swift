// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The members of one to-many of one object: the stored members and the unsaved changes.
///
/// Members can be added and removed before the stored members are loaded; `load(_:)` then applies these
/// changes to the stored members.
package struct ToMany {
  package let isOrdered: Bool
  /// The stored members; nil while they are not loaded.
  ///
  /// If `isStoredSparse` is true, the array may also contain obsolete and repeated entries.
  private var storedEntries: [ObjectKey]?
  package private(set) var added: Set<ObjectKey> = []
  package private(set) var removed: Set<ObjectKey> = []
  /// The current members, in order; before loading, only the added members.
  ///
  /// Unordered to-manys also have an order, so that results are stable.
  private var order: [ObjectKey] = []
  /// The keys in `order` that were not removed, for look-ups; nil until a look-up needs the set.
  private var members: Set<ObjectKey>?
  /// Whether `order` may still hold removed members.
  private var isSparse = false
  /// Whether `order` may hold a member several times; the last position of a member is then the valid one.
  private var mayRepeat = false
  /// Whether `storedEntries` may hold members that are no longer stored, or a member several times.
  private var isStoredSparse = false
  package private(set) var isReordered = false

  /// Creates an empty to-many for a new object, or a to-many that is not loaded for a stored object.
  package init(isOrdered: Bool, isNew: Bool) {
    self.isOrdered = isOrdered
    storedEntries = isNew ? [] : nil
  }

  /// The stored members; nil while they are not loaded.
  package var stored: [ObjectKey]? {
    mutating get {
      compactStored()
      return storedEntries
    }
  }

  package var isLoaded: Bool { storedEntries != nil }
  package var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

  /// The current members; before loading, only the added members.
  ///
  /// The members of an ordered to-many are in its order.
  package var keys: [ObjectKey] {
    mutating get {
      compact()
      return order
    }
  }

  package var count: Int { members?.count ?? order.count }

  /// Returns whether the key is a current member or, before loading, an added member.
  ///
  /// - Complexity: O(members) the first time, then O(1).
  package mutating func contains(_ key: ObjectKey) -> Bool {
    if !isLoaded { return added.contains(key) }
    makeIndex()
    return members?.contains(key) ?? false
  }

  private mutating func makeIndex() {
    if members == nil { members = Set(order) }
  }

  /// Sets the stored members, and applies the changes that were made before loading.
  ///
  /// An added key that is already stored, and a removed key that is not stored, no longer count as changes.
  /// - Complexity: O(members and changes).
  package mutating func load(_ keys: [ObjectKey]) {
    if mayRepeat { compact() }
    storedEntries = keys
    isStoredSparse = false
    isSparse = false
    members = nil
    if added.isEmpty && removed.isEmpty {
      order = keys
      return
    }
    let pending = order.filter { added.contains($0) }
    order = keys.filter { !removed.contains($0) && !added.contains($0) } + pending
    let known = Set(keys)
    added = Set(pending.filter { !known.contains($0) })
    removed.formIntersection(known)
  }

  /// Inserts a member at `index`, or at the end if `index` is nil; returns false if the key is already a
  /// member.
  ///
  /// Before loading, only the added members are known to be members.
  /// - Complexity: O(1) on average if `index` is nil and a look-up was made before; otherwise O(members).
  @discardableResult
  package mutating func insert(_ key: ObjectKey, at index: Int? = nil) -> Bool {
    if contains(key) { return false }
    if let index {
      compact()
      members?.insert(key)
      order.insert(key, at: index)
      isReordered = isReordered || index != order.count - 1
    } else {
      members?.insert(key)
      append(key)
    }
    let comesBack = removed.remove(key) != nil
    if comesBack { isReordered = isReordered || isOrdered }
    // Before loading, a removed key is not necessarily a stored member, so its insertion is recorded.
    if !comesBack || !isLoaded { added.insert(key) }
    return true
  }

  /// Removes a member; returns false, without an effect, if the key is known not to be a member.
  ///
  /// Before loading, a key that may be a stored member counts as removed. An added temporary key cannot be a
  /// stored member, so it is only removed from the added members.
  @discardableResult
  package mutating func remove(_ key: ObjectKey) -> Bool {
    makeIndex()
    if isLoaded {
      guard members?.remove(key) != nil else { return false }
      isSparse = true
    } else {
      members?.remove(key)
      isSparse = true
      if removed.contains(key) { return false }
    }
    let wasAdded = added.remove(key) != nil
    if !wasAdded || !(isLoaded || key.isTemporary) { removed.insert(key) }
    return true
  }

  /// Returns whether `setMembership(of:isStored:isCurrent:)` with the same arguments would change nothing.
  ///
  /// - Complexity: the same as that of `contains(_:)`.
  package mutating func hasMembership(of key: ObjectKey, isStored: Bool, isCurrent: Bool) -> Bool {
    if removed.contains(key) != (isStored && !isCurrent) { return false }
    if added.contains(key) != (isCurrent && !isStored) { return false }
    return !isLoaded || contains(key) == isCurrent
  }

  /// Sets whether the key is a stored member and whether it is a current member.
  ///
  /// If the two values differ, the key counts as added or removed.
  /// - Complexity: O(1) on average, once a look-up has been made.
  package mutating func setMembership(of key: ObjectKey, isStored: Bool, isCurrent: Bool) {
    makeIndex()
    if isLoaded && isStored != wasStored(key) {
      if isStored { storedEntries?.append(key) } else { isStoredSparse = true }
    }
    added.remove(key)
    removed.remove(key)
    if isCurrent && !isStored { added.insert(key) }
    if isStored && !isCurrent { removed.insert(key) }
    let isListed = isLoaded ? isCurrent : isCurrent && !isStored
    if isListed {
      if members?.insert(key).inserted == true { append(key) }
    } else if members?.remove(key) != nil {
      isSparse = true
    }
  }

  /// Cancels the removal of a member of an unordered to-many that is not loaded.
  ///
  /// - Returns: false, without an effect, if the to-many is loaded or ordered, or if the member was not
  ///   removed.
  package mutating func takeBackRemoval(of key: ObjectKey) -> Bool {
    !isLoaded && !isOrdered && removed.remove(key) != nil
  }

  /// Restores the removed members that are in `keys`.
  ///
  /// Also sorts the members into the order of `former`, which must contain the restored members; members that
  /// are not in `former` come last. Does nothing if the to-many is not loaded, or if no member in `keys` was
  /// removed.
  /// - Complexity: O(members).
  package mutating func takeBackRemovals(of keys: Set<ObjectKey>, former: [ObjectKey]) {
    guard isLoaded, !removed.isDisjoint(with: keys) else { return }
    compact()
    let current = removed.intersection(keys).union(order)
    removed.subtract(keys)
    members = nil
    let placed = Set(former)
    order = former.filter(current.contains) + order.filter { !placed.contains($0) }
  }

  /// Returns whether the key is a stored member; the to-many must be loaded, and `members` must not be nil.
  private func wasStored(_ key: ObjectKey) -> Bool {
    removed.contains(key) || members?.contains(key) == true && !added.contains(key)
  }

  /// Appends a new member to `order`; `members` must be nil or already contain the member.
  private mutating func append(_ key: ObjectKey) {
    order.append(key)
    guard isSparse, let members else { return }
    mayRepeat = true
    // Members that are removed and added repeatedly must not accumulate in `order`.
    if order.count > 2 * members.count + 32 { compact() }
  }

  /// Sets the order of the members; `keys` must hold exactly the current members.
  package mutating func reorder(_ keys: [ObjectKey]) {
    compact()
    guard keys != order else { return }
    order = keys
    isReordered = true
  }

  /// Makes the current members the stored members; if the to-many is not loaded, only discards the changes.
  package mutating func commit() {
    compact()
    isStoredSparse = false
    if isLoaded {
      storedEntries = order
    } else {
      // The next use loads the members from the store, which already has the changes.
      order = []
      members = nil
    }
    added = []
    removed = []
    isReordered = false
  }

  /// Replaces each key with the result of `permanent`; does nothing if no current or removed member has a
  /// temporary key.
  package mutating func rekey(_ permanent: (ObjectKey) -> ObjectKey) {
    guard order.contains(where: \.isTemporary) || removed.contains(where: \.isTemporary) else {
      return
    }
    compactStored()
    order = order.map(permanent)
    members = members.map { Set($0.map(permanent)) }
    added = Set(added.map(permanent))
    removed = Set(removed.map(permanent))
    storedEntries = storedEntries.map { $0.map(permanent) }
  }

  /// Discards the changes, so that the stored members are the current members again.
  package mutating func rollBack() {
    compactStored()
    added = []
    removed = []
    isReordered = false
    isSparse = false
    mayRepeat = false
    order = storedEntries ?? []
    members = nil
  }

  private mutating func compact() {
    guard isSparse else { return }
    isSparse = false
    guard let members else { return }
    if mayRepeat {
      mayRepeat = false
      var left = members
      order = Array(order.reversed().filter { left.remove($0) != nil }.reversed())
    } else {
      order = order.filter { members.contains($0) }
    }
  }

  private mutating func compactStored() {
    guard isStoredSparse, let places = storedEntries else { return }
    isStoredSparse = false
    makeIndex()
    var seen: Set<ObjectKey> = []
    storedEntries = places.reversed().filter { wasStored($0) && seen.insert($0).inserted }
      .reversed()
  }
}
