// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Fetch descriptions → statements.
package struct FetchPlanner: Sendable {
  package let layout: Layout
  package let storeIndex: Int
  /// By entity index.
  package let sources: [RowSource]
  /// Whether statements whose rows need no order are collecting ones (`RowCollection`).
  package private(set) var collects: Bool

  package init(layout: Layout, storeIndex: Int, collects: Bool = false) {
    self.layout = layout
    self.storeIndex = storeIndex
    self.collects = collects
    sources = layout.model.entities.map { RowSource(entity: $0, layout: layout) }
  }

  /// The same planner for statements that any engine could run.
  package var steppingOnly: FetchPlanner {
    var planner = self
    planner.collects = false
    return planner
  }

  /// The one statement that answers `description`.
  ///
  /// - Throws: `StoreError.invalidRequest` naming the key path and the entity; `.unsayable` naming the
  ///   expression that SQL cannot say.
  package func plan(_ description: FetchDescription) throws -> FetchPlan {
    var draft = try SelectDraft(description, planner: self)
    for stage in SelectDraft.stages { try stage(&draft) }
    return FetchPlan(
      statement: draft.sql.statement,
      reading: draft.reading,
      sorter: draft.sorter
    )
  }

  /// What of `description` statements say: conjunct by conjunct, and the order.
  ///
  /// - Throws: `StoreError.invalidRequest` naming the key path and the entity.
  package func divided(_ description: FetchDescription) throws -> DividedFetch {
    let entity = layout.model.entities[description.entity]
    func says(_ body: (ConditionCompiler, Scope) throws -> Void) throws -> Bool {
      let compiler = ConditionCompiler(layout: layout, storeIndex: storeIndex)
      do {
        try body(compiler, Scope(entity, compiler: compiler))
        return true
      } catch let error as StoreError where error.code == .unsayable {
        return false
      }
    }
    let saysOrder = try says { compiler, scope in
      for key in description.order { _ = try compiler.order(key, in: scope) }
    }
    // Conjuncts go into one statement, which has its limits for all of them together.
    var comparisons = EngineLimits.comparisons
    var values = EngineLimits.values
    return try DividedFetch(description, saysOrder: saysOrder) { condition in
      try says { compiler, scope in
        let piece = try compiler.whole(condition, in: scope, leaving: EngineLimits.conjunction)
        guard compiler.comparisons <= comparisons, piece.valueCount <= values else {
          throw compiler.unsupported("more comparisons than a statement takes")
        }
        comparisons -= compiler.comparisons
        values -= piece.valueCount
      }
    }
  }

  /// A statement for the rows with these keys of one hierarchy: one number, or a JSON list.
  package func rowsStatement(root: Int, many: Bool) -> String {
    let source = sources[root]
    let table = layout.entities[root].table
    let condition = many ? "IN (SELECT value FROM json_each(?))" : "= ?"
    return "SELECT \(selection(of: source, isOrdered: !many)) FROM \(table) AS t0 WHERE t0.Z_PK "
      + condition
  }

  /// The columns of rows of `t0`.
  private func selection(of source: RowSource, isOrdered: Bool) -> String {
    let columns = source.selection("t0")
    return (collects && !isOrdered ? source.collected(columns) : columns).statement.text
  }

  /// A statement for the members of one owner, or of several given as a JSON list: the owner, the
  /// member, and the member's entity number where `hasEntityColumn`.
  package func membersStatement(
    entity: Int,
    slot: Int,
    many: Bool
  ) throws -> (text: String, hasEntityColumn: Bool, destination: Int) {
    let property = layout.model.entities[entity].properties[slot]
    guard let relationship = property.relationship,
      let members = layout.entities[entity].members[slot]
    else {
      throw StoreError(
        .invalidRequest,
        "\(layout.model.entities[entity].name).\(property.name) is no stored to-many relationship"
      )
    }
    let destination = layout.entities[relationship.destination]
    var text = "SELECT m.\(members.ownerColumn), m.\(members.memberColumn)"
    if destination.sharesTable { text += members.isJoin ? ", d.Z_ENT" : ", m.Z_ENT" }
    text += " FROM \(members.table) AS m"
    if members.isJoin, destination.sharesTable {
      text += " JOIN \(destination.table) AS d ON d.Z_PK = m.\(members.memberColumn)"
    }
    text += " WHERE m.\(members.ownerColumn) "
    text += many ? "IN (SELECT value FROM json_each(?))" : "= ?"
    if let order = members.orderColumn { text += " ORDER BY m.\(order)" }
    return (text, destination.sharesTable, relationship.destination)
  }

  /// A statement for the rows of the members of owners given as a JSON list, the destination's entity,
  /// and the slot of theirs that names the owner; nil where the pairs are in a table of their own.
  package func relatedStatement(
    entity: Int,
    slot: Int
  ) throws -> (text: String, destination: Int, inverse: Int)? {
    guard let relationship = layout.model.entities[entity].properties[slot].relationship,
      let members = layout.entities[entity].members[slot], !members.isJoin, !members.isHidden,
      let inverse = relationship.inverse
    else { return nil }
    let source = sources[relationship.destination]
    let columns = selection(of: source, isOrdered: members.orderColumn != nil)
    var text = "SELECT \(columns) FROM \(members.table) AS t0"
    text += " WHERE t0.\(members.ownerColumn) IN (SELECT value FROM json_each(?))"
    if let order = members.orderColumn { text += " ORDER BY t0.\(order)" }
    return (text, relationship.destination, inverse)
  }

  /// A statement for the rows of the members of one owner, by its number, and the destination's entity;
  /// nil where a join table holds the pairs.
  package func memberRowsStatement(entity: Int, slot: Int) -> MemberRowsStatement? {
    guard let relationship = layout.model.entities[entity].properties[slot].relationship,
      let members = layout.entities[entity].members[slot], !members.isJoin
    else { return nil }
    let source = sources[relationship.destination]
    let columns = selection(of: source, isOrdered: members.orderColumn != nil)
    var text = "SELECT \(columns) FROM \(members.table) AS t0"
    text += " WHERE t0.\(members.ownerColumn) = ?"
    if let order = members.orderColumn { text += " ORDER BY t0.\(order)" }
    return MemberRowsStatement(text: text, destination: relationship.destination)
  }
}
