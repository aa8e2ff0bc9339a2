// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The to-many member lists that one save changes.
///
/// The first search of a list, or removal from it, is linear, because most saves search each list only once.
/// The second search or removal opens the list, that is, builds a table of the members' indexes. Later
/// searches and changes of the list take constant time. A member removed from an open list leaves an empty
/// entry until the end of the save.
struct MemberLists {
  private struct ListID: Hashable {
    let relation: Int
    let owner: Int64
  }
  private struct Open {
    /// The primary keys of the members, in order; 0 for a removed member.
    var entries: [Int64]
    var indexes: [Int64: Int]

    init(_ members: [Int64]) {
      entries = members
      indexes = Dictionary(members.enumerated().map { ($1, $0) }) { _, last in last }
      WorkCounter.add(members.count)
    }
  }
  private var walked: Set<ListID> = []
  private var open: [ListID: Open] = [:]

  func members(of owner: Int64, _ relation: Int, _ state: MemoryState) -> [Int64] {
    guard let open = open[ListID(relation: relation, owner: owner)] else {
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
    let location = ListID(relation: relation, owner: owner)
    if isOpen(location, state) { return open[location]?.indexes[member] != nil }
    let members = state.members[relation][owner] ?? []
    WorkCounter.add(members.count)
    return members.contains(member)
  }

  /// Appends a member; the list must not contain it yet.
  mutating func append(
    _ member: Int64,
    to owner: Int64,
    _ relation: Int,
    _ state: inout MemoryState
  ) {
    let location = ListID(relation: relation, owner: owner)
    guard let count = open[location]?.entries.count else {
      state.members[relation][owner, default: []].append(member)
      return
    }
    open[location]?.entries.append(member)
    open[location]?.indexes[member] = count
  }

  mutating func remove(
    _ member: Int64,
    from owner: Int64,
    _ relation: Int,
    _ state: inout MemoryState
  ) {
    let location = ListID(relation: relation, owner: owner)
    if isOpen(location, state) {
      guard let index = open[location]?.indexes.removeValue(forKey: member) else { return }
      open[location]?.entries[index] = 0
      return
    }
    WorkCounter.add(state.members[relation][owner]?.count ?? 0)
    // Searches from the end, because members that were added last are removed most often.
    guard let index = state.members[relation][owner]?.lastIndex(of: member) else { return }
    state.members[relation][owner]?.remove(at: index)
  }

  /// Replaces the member list of an owner, or removes it if `members` is nil.
  mutating func replace(
    _ members: [Int64]?,
    of owner: Int64,
    _ relation: Int,
    _ state: inout MemoryState
  ) {
    open[ListID(relation: relation, owner: owner)] = nil
    state.members[relation][owner] = members
  }

  mutating func close(into state: inout MemoryState) {
    for (location, list) in open {
      let members = list.entries.filter { $0 != 0 }
      // The list of a deleted owner is not created again.
      if members.isEmpty, state.members[location.relation][location.owner] == nil { continue }
      state.members[location.relation][location.owner] = members
    }
    open = [:]
    walked = []
  }

  /// Returns whether the list is open; the second call for a list opens it and returns true.
  private mutating func isOpen(_ location: ListID, _ state: MemoryState) -> Bool {
    if open[location] != nil { return true }
    if walked.insert(location).inserted { return false }
    open[location] = Open(state.members[location.relation][location.owner] ?? [])
    return true
  }
}
