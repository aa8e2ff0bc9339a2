// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// The members of one to-many of one object: what the store has, and what changed since.
///
/// While the stored members are not loaded, `added` and `removed` hold the changes; loading lays
/// them over the stored ones.
package struct ToMany {
  package let isOrdered: Bool
  /// Members of the last save or load; nil while not loaded.
  package private(set) var stored: [ObjectKey]?
  package private(set) var added: Set<ObjectKey> = []
  package private(set) var removed: Set<ObjectKey> = []
  /// Current members once loaded; kept for every to-many, so that lists are stable.
  private var order: [ObjectKey] = []
  /// `order` without those that were removed, for looking up; nil until somebody does.
  private var members: Set<ObjectKey>?
  /// Whether `order` still holds members that were removed.
  private var isSparse = false
  package private(set) var isReordered = false

  /// A to-many of a stored object, not loaded; or of a new object, empty.
  package init(isOrdered: Bool, isNew: Bool) {
    self.isOrdered = isOrdered
    stored = isNew ? [] : nil
  }

  package var isLoaded: Bool { stored != nil }
  package var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

  /// Current members; those of an ordered to-many in their order.
  package var keys: [ObjectKey] {
    mutating get {
      compact()
      return order
    }
  }

  package var count: Int { members?.count ?? order.count }

  /// - Complexity: O(members) the first time, then O(1).
  package mutating func contains(_ key: ObjectKey) -> Bool {
    if !isLoaded { return added.contains(key) }
    makeIndex()
    return members?.contains(key) ?? false
  }

  private mutating func makeIndex() {
    if members == nil { members = Set(order) }
  }

  /// Lays the changes so far over the members that the store has.
  package mutating func load(_ keys: [ObjectKey]) {
    stored = keys
    isSparse = false
    members = nil
    if added.isEmpty && removed.isEmpty {
      order = keys
      return
    }
    let pending = order.filter { added.contains($0) }
    order = keys.filter { !removed.contains($0) && !added.contains($0) } + pending
    added = Set(pending.filter { !keys.contains($0) })
    removed.formIntersection(keys)
  }

  /// False where it is a member already.
  @discardableResult
  package mutating func insert(_ key: ObjectKey, at index: Int? = nil) -> Bool {
    if contains(key) { return false }
    compact()
    members?.insert(key)
    if let index {
      order.insert(key, at: index)
      isReordered = isReordered || index != order.count - 1
    } else {
      order.append(key)
    }
    let comesBack = removed.remove(key) != nil
    if comesBack { isReordered = isReordered || isOrdered }
    // Before loading nobody knows whether the store has it.
    if !comesBack || !isLoaded { added.insert(key) }
    return true
  }

  /// False where it is known not to be a member.
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

  /// Takes over what a merge found out about one member: whether the store has it, and whether it is
  /// one here.
  package mutating func settle(_ key: ObjectKey, isStored: Bool, isCurrent: Bool) {
    compact()
    if let known = stored {
      let knows = known.contains(key)
      if isStored && !knows { stored?.append(key) }
      if !isStored && knows { stored?.removeAll { $0 == key } }
    }
    added.remove(key)
    removed.remove(key)
    if isCurrent && !isStored { added.insert(key) }
    if isStored && !isCurrent { removed.insert(key) }
    // While not loaded, only additions are listed.
    let isListed = isLoaded ? isCurrent : isCurrent && !isStored
    makeIndex()
    if isListed {
      if members?.insert(key).inserted == true { order.append(key) }
    } else if members?.remove(key) != nil {
      order.removeAll { $0 == key }
    }
  }

  /// Puts the same members into another order.
  package mutating func reorder(_ keys: [ObjectKey]) {
    compact()
    guard keys != order else { return }
    order = keys
    isReordered = true
  }

  /// After a save: the current members are the stored ones.
  package mutating func commit() {
    compact()
    if isLoaded {
      stored = order
    } else {
      // Not loaded: the next use asks the store, which has the changes now.
      order = []
      members = nil
    }
    added = []
    removed = []
    isReordered = false
  }

  /// Members got their permanent keys.
  package mutating func rekey(_ permanent: (ObjectKey) -> ObjectKey) {
    guard order.contains(where: \.isTemporary) || removed.contains(where: \.isTemporary) else {
      return
    }
    order = order.map(permanent)
    members = members.map { Set($0.map(permanent)) }
    added = Set(added.map(permanent))
    removed = Set(removed.map(permanent))
    stored = stored.map { $0.map(permanent) }
  }

  /// Back to the stored members.
  package mutating func rollBack() {
    added = []
    removed = []
    isReordered = false
    isSparse = false
    order = stored ?? []
    members = nil
  }

  private mutating func compact() {
    guard isSparse else { return }
    isSparse = false
    guard let members else { return }
    order = order.filter { members.contains($0) }
  }
}
