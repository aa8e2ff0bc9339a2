// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The lists of members that one save changes, so that each change costs the same however long its list
/// is.
///
/// The first removal from a list and the first look into it walk over it: most saves do no more. From
/// the second on the list is open: places are found by number, and removed ones stay empty until the end
/// of the save.
struct MemberLists {
  private struct Place: Hashable {
    let relation: Int
    let owner: Int64
  }
  private struct Open {
    /// Members in their order; 0 where one was removed.
    var entries: [Int64]
    /// Member → its index in `entries`.
    var indexes: [Int64: Int]

    init(_ members: [Int64]) {
      entries = members
      indexes = Dictionary(members.enumerated().map { ($1, $0) }) { _, last in last }
      WorkCounter.add(members.count)
    }
  }
  private var walked: Set<Place> = []
  private var open: [Place: Open] = [:]

  /// The members of an owner, in their order.
  func members(of owner: Int64, _ relation: Int, _ state: MemoryState) -> [Int64] {
    guard let open = open[Place(relation: relation, owner: owner)] else {
      return state.members[relation][owner] ?? []
    }
    return open.entries.filter { $0 != 0 }
  }

  mutating func contains(
    _ member: Int64,
    in owner: Int64,
    _ relation: Int,
    _ state: MemoryState
  ) -> Bool {
    let place = Place(relation: relation, owner: owner)
    if isOpen(place, state) { return open[place]?.indexes[member] != nil }
    let members = state.members[relation][owner] ?? []
    WorkCounter.add(members.count)
    return members.contains(member)
  }

  /// Adds a member, which is none yet, at the end.
  mutating func append(
    _ member: Int64,
    to owner: Int64,
    _ relation: Int,
    _ state: inout MemoryState
  ) {
    let place = Place(relation: relation, owner: owner)
    guard let count = open[place]?.entries.count else {
      state.members[relation][owner, default: []].append(member)
      return
    }
    open[place]?.entries.append(member)
    open[place]?.indexes[member] = count
  }

  /// Removes a member; nothing where it is none.
  mutating func remove(
    _ member: Int64,
    from owner: Int64,
    _ relation: Int,
    _ state: inout MemoryState
  ) {
    let place = Place(relation: relation, owner: owner)
    if isOpen(place, state) {
      guard let index = open[place]?.indexes.removeValue(forKey: member) else { return }
      open[place]?.entries[index] = 0
      return
    }
    WorkCounter.add(state.members[relation][owner]?.count ?? 0)
    // The last one is looked at first: what was added last is most often removed.
    guard let index = state.members[relation][owner]?.lastIndex(of: member) else { return }
    state.members[relation][owner]?.remove(at: index)
  }

  /// Replaces all members of an owner; nil takes the list away with its owner.
  mutating func replace(
    _ members: [Int64]?,
    of owner: Int64,
    _ relation: Int,
    _ state: inout MemoryState
  ) {
    open[Place(relation: relation, owner: owner)] = nil
    state.members[relation][owner] = members
  }

  /// Ends the changes: the state has all lists.
  mutating func close(into state: inout MemoryState) {
    for (place, list) in open {
      let members = list.entries.filter { $0 != 0 }
      // An owner that is gone has no list.
      if members.isEmpty, state.members[place.relation][place.owner] == nil { continue }
      state.members[place.relation][place.owner] = members
    }
    open = [:]
    walked = []
  }

  /// Whether the list is open; it is from the second walk on.
  private mutating func isOpen(_ place: Place, _ state: MemoryState) -> Bool {
    if open[place] != nil { return true }
    if walked.insert(place).inserted { return false }
    open[place] = Open(state.members[place.relation][place.owner] ?? [])
    return true
  }
}
