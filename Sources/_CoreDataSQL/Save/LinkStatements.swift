// SPDX-License-Identifier: Apache-2.0

/// The statements for the pairs of to-many relationships, and for the order of the members.
extension MemberLayout {
  /// The statement that inserts a pair; the parameters are the primary keys of owner and member.
  package var insertPair: Statement {
    Statement(
      text: isJoin
        ? "INSERT OR IGNORE INTO \(table)(\(ownerColumn), \(memberColumn)) VALUES(?, ?)"
        : "UPDATE \(table) SET \(ownerColumn) = ? WHERE \(memberColumn) = ?"
    )
  }

  /// The statement that removes a pair; the parameters are the primary keys of owner and member.
  package var deletePair: Statement {
    Statement(text: removal + " WHERE \(ownerColumn) = ? AND \(memberColumn) = ?")
  }

  /// The statement that removes every pair of an owner; the parameter is the owner's primary key.
  package var deletePairsOfOwner: Statement {
    Statement(text: removal + " WHERE \(ownerColumn) = ?")
  }

  /// The text of a statement that removes pairs, up to its WHERE clause.
  private var removal: String {
    if isJoin { return "DELETE FROM \(table)" }
    let order = orderColumn.map { ", \($0) = NULL" } ?? ""
    return "UPDATE \(table) SET \(ownerColumn) = NULL\(order)"
  }

  /// A query for the members of an owner and their order positions; nil if the relationship has no order
  /// column.
  ///
  /// The parameter is the owner's primary key.
  package var selectPositions: Statement? {
    orderColumn.map {
      Statement(text: "SELECT \(memberColumn), \($0) FROM \(table) WHERE \(ownerColumn) = ?")
    }
  }

  /// The statement that sets the order position of a member; nil if the relationship has no order column.
  ///
  /// The parameters are the position and the primary keys of owner and member.
  package var updatePosition: Statement? {
    orderColumn.map {
      Statement(
        text: "UPDATE \(table) SET \($0) = ? WHERE \(ownerColumn) = ? AND \(memberColumn) = ?"
      )
    }
  }
}

/// The order positions (`Z_FOK_`) of an ordered relationship's members.
package enum OrderPositions {
  /// The position of the first member in a newly numbered relationship.
  package static let first: Int64 = 2048
  package static let step: Int64 = 1024

  /// Returns a new position for each of `members`; nil for a member that keeps its stored position.
  ///
  /// Most members that are still in order keep their positions, and the other members get positions between
  /// or after the kept ones. If a gap is too narrow, all members are numbered again.
  /// - Complexity: O(members).
  package static func changes(_ members: [Int64], stored: [Int64: Int64]) -> [Int64?] {
    let keeps = kept(members, stored: stored)
    var changes = [Int64?](repeating: nil, count: members.count)
    var previous = first - step
    var index = 0
    while index < members.count {
      if let place = keeps[index] {
        previous = place
        index += 1
        continue
      }
      var end = index
      while end < members.count, keeps[end] == nil { end += 1 }
      let count = Int64(end - index)
      let next = end < members.count ? keeps[end] : nil
      let step = next.map { min(Self.step, ($0 - previous) / (count + 1)) } ?? Self.step
      if step < 1 { return renumbered(members, stored: stored) }
      for offset in 0..<(end - index) {
        previous += step
        changes[index + offset] = previous
      }
      index = end
    }
    return changes
  }

  private static func kept(_ members: [Int64], stored: [Int64: Int64]) -> [Int64?] {
    var last = Int64.min
    // A member that moved to the front would displace all members after it if it kept its position.
    var smallestAfter = [Int64](repeating: .max, count: members.count + 1)
    for index in members.indices.reversed() {
      smallestAfter[index] = min(smallestAfter[index + 1], stored[members[index]] ?? .max)
    }
    return members.indices.map { index in
      guard let place = stored[members[index]], place > last, place <= smallestAfter[index + 1]
      else { return nil }
      last = place
      return place
    }
  }

  private static func renumbered(_ members: [Int64], stored: [Int64: Int64]) -> [Int64?] {
    members.enumerated().map { index, member in
      let place = first + Int64(index) * step
      return stored[member] == place ? nil : place
    }
  }
}
