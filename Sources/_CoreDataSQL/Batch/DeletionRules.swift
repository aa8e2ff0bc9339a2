// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The consequences of deleting the rows whose keys are in the table of deleted keys (`DeletedKeys`).
package struct DeletionRules: Sendable {
  /// A statement for one relationship, or for one attribute with external storage.
  package enum Step: Sendable {
    /// Adds the keys of the destination rows to which the deletion cascades.
    ///
    /// The parameters are the next level, then the current level. `destination` is the index of the
    /// destination entity.
    case cascade(Statement, destination: Int)
    /// Returns a row if the deletion must fail, because a deleted row has a destination that is not deleted.
    ///
    /// `name` is the relationship in the form `Entity.relationship`.
    case deny(Statement, name: String)
    /// Sets the references to the deleted rows to NULL; in a join table, deletes the pairs instead.
    ///
    /// `reporting` is the same statement, except that it returns `Z_PK` and `Z_ENT` of the rows whose
    /// property `slot` changes. For a join table, `reporting` and `slot` are nil.
    case release(Statement, reporting: Statement?, slot: Int?)
    /// Selects `Z_PK` and `Z_ENT` of objects whose to-manys lose members in a join table; the rows of these
    /// objects do not change.
    case touch(Statement, slot: Int?)
    /// Selects `Z_PK` and `Z_ENT` of objects whose to-manys lose members; must run before the deletion.
    ///
    /// The references to these objects are in the rows to be deleted, so the statement would find no object
    /// after the deletion.
    case reportDestinations(Statement, slot: Int)
    /// Selects, from the rows to delete, the values whose content is in a file.
    case files(Statement)
  }

  private let layout: Layout
  /// Whether the report includes objects whose rows do not change but whose to-manys lose members.
  private let reportsOwners: Bool

  package init(_ layout: Layout, reportsOwners: Bool) {
    self.layout = layout
    self.reportsOwners = reportsOwners
  }

  /// Returns the statement that deletes the collected rows in the hierarchy of a root entity.
  package func delete(root: Int) -> Statement {
    Statement(
      text: "DELETE FROM \(layout.entities[root].table) "
        + "WHERE Z_PK IN \(DeletedKeys.numbers(root: root))"
    )
  }

  /// Returns the steps for the rows of an entity and its subentities; an empty array if the deletion has no
  /// consequences.
  package func steps(from entity: Int) -> [Step] {
    var seen: Set<[Int]> = []
    return layout.model.entities[entity].family.flatMap { member in
      layout.model.entities[member].properties.flatMap { property in
        seen.insert([property.declaringEntity, property.slot]).inserted
          ? steps(of: property) : []
      }
    }
  }

  private func steps(of property: PropertyDefinition) -> [Step] {
    if property.isTransient { return [] }
    let source = layout.entities[property.declaringEntity]
    if let column = source.column(property.slot), column.isTagged { return [files(column, source)] }
    guard let relationship = property.relationship else { return [] }
    guard let link = Link(property, relationship, of: source, in: layout) else { return [] }
    var steps: [Step] = []
    switch relationship.deleteRule {
    case .cascade:
      steps.append(.cascade(link.cascade, destination: relationship.destination))
    case .deny:
      let name = "\(layout.model.entities[property.declaringEntity].name).\(property.name)"
      steps.append(.deny(link.deny, name: name))
    case .nullify, .noAction: break
    }
    if link.needsRelease(relationship.deleteRule) { steps += link.release }
    if reportsOwners, let slot = relationship.inverse,
      let formerDestinations = link.formerDestinations
    {
      steps.append(.reportDestinations(formerDestinations, slot: slot))
    }
    return steps
  }

  private func files(_ column: PropertyColumn, _ source: EntityLayout) -> Step {
    let root = layout.model.entities[source.entity].root
    return .files(
      Statement(
        text: "SELECT \(column.name) FROM \(source.table) WHERE Z_PK IN "
          + "\(DeletedKeys.numbers(root: root)) AND substr(\(column.name), 1, 1) = x'02'"
      )
    )
  }
}

/// The storage of a relationship's links in the file.
private struct Link {
  private enum Form {
    /// The destination's rows contain the owner's primary key.
    ///
    /// `isHidden` is true if the column does not belong to a property, because the relationship is a to-many
    /// without an inverse.
    case there(column: String, entityColumn: String?, orderColumn: String?, isHidden: Bool)
    /// The owner's rows contain the destination's primary key.
    case here(column: String)
    case pairs(MemberLayout, isOwnInverse: Bool)
  }
  private let form: Form
  private let source: EntityLayout
  private let destination: EntityLayout
  private let sourceRoot: Int
  private let destinationRoot: Int
  private let inverseSlot: Int?

  init?(
    _ property: PropertyDefinition,
    _ relationship: RelationshipDefinition,
    of source: EntityLayout,
    in layout: Layout
  ) {
    let model = layout.model
    self.source = source
    destination = layout.entities[relationship.destination]
    sourceRoot = model.entities[source.entity].root
    destinationRoot = model.entities[relationship.destination].root
    inverseSlot = relationship.inverse
    let inverse = relationship.inverse.map {
      model.entities[relationship.destination].properties[$0]
    }
    if let members = source.members[property.slot], members.isJoin {
      let isOwn = inverse?.declaringEntity == property.declaringEntity
      form = .pairs(members, isOwnInverse: isOwn && inverse?.slot == property.slot)
    } else if let members = source.members[property.slot], members.isHidden {
      form = .there(
        column: members.ownerColumn,
        entityColumn: nil,
        orderColumn: members.orderColumn,
        isHidden: true
      )
    } else if let inverse, inverse.isToOne,
      let column = layout.entities[inverse.declaringEntity].column(inverse.slot)
    {
      form = .there(
        column: column.name,
        entityColumn: column.entityColumn,
        orderColumn: column.orderColumn,
        isHidden: false
      )
    } else if let column = source.column(property.slot) {
      form = .here(column: column.name)
    } else {
      return nil
    }
  }

  /// Returns whether references to the deleted rows remain and must be removed.
  ///
  /// Pairs in a join table are deleted under every delete rule. A reference in the destination's rows is set
  /// to NULL under Nullify. In a hidden column it is also set to NULL under No Action, because no property
  /// contains the reference. Under Deny and Cascade no such reference remains.
  func needsRelease(_ rule: DeleteRule) -> Bool {
    switch form {
    case .pairs: true
    case .there(_, _, _, let isHidden): rule == .nullify || isHidden && rule == .noAction
    case .here: false
    }
  }

  /// Returns a subselect, for use after `IN`, of the destinations' primary keys.
  ///
  /// `owners` is such a subselect of the owners' primary keys.
  private func destinations(of owners: String) -> String {
    switch form {
    case .there(let column, _, _, _):
      "(SELECT Z_PK FROM \(destination.table) WHERE \(column) IN \(owners))"
    case .here(let column):
      "(SELECT \(column) FROM \(source.table) WHERE Z_PK IN \(owners))"
    case .pairs(let members, _):
      "(SELECT \(members.memberColumn) FROM \(members.table) "
        + "WHERE \(members.ownerColumn) IN \(owners))"
    }
  }

  var cascade: Statement {
    Statement(
      text: "INSERT OR IGNORE INTO \(DeletedKeys.table) "
        + "SELECT \(destinationRoot), d.Z_PK, d.Z_ENT, ? FROM \(destination.table) AS d "
        + "WHERE d.Z_PK IN \(destinations(of: DeletedKeys.level(root: sourceRoot)))"
    )
  }

  /// A query for the remaining rows to which the deleted rows refer; nil if the references are not in columns
  /// of the deleted rows.
  var formerDestinations: Statement? {
    guard case .here = form else { return nil }
    return Statement(text: "SELECT d.Z_PK, d.Z_ENT" + remaining)
  }

  var deny: Statement { Statement(text: "SELECT 1" + remaining + " LIMIT 1") }

  private var remaining: String {
    " FROM \(destination.table) AS d "
      + "WHERE d.Z_PK IN \(destinations(of: DeletedKeys.numbers(root: sourceRoot))) "
      + "AND d.Z_PK NOT IN \(DeletedKeys.numbers(root: destinationRoot))"
  }

  var release: [DeletionRules.Step] {
    let owners = DeletedKeys.numbers(root: sourceRoot)
    switch form {
    case .here: return []
    case .there(let column, let entityColumn, let orderColumn, _):
      let columns = [column, entityColumn, orderColumn].compactMap { $0 }
      let settings = ([RowVersion.raised] + columns.map { "\($0) = NULL" })
        .joined(separator: ", ")
      let update = "UPDATE \(destination.table) SET \(settings) WHERE \(column) IN \(owners)"
      return [
        .release(
          Statement(text: update),
          reporting: Statement(text: update + " RETURNING Z_PK, Z_ENT"),
          slot: inverseSlot
        )
      ]
    case .pairs(let members, let isOwnInverse):
      let columns = [members.ownerColumn] + (isOwnInverse ? [members.memberColumn] : [])
      let touched =
        "SELECT d.Z_PK, d.Z_ENT FROM \(destination.table) AS d "
        + "WHERE d.Z_PK IN \(destinations(of: owners))"
      return [.touch(Statement(text: touched), slot: inverseSlot)]
        + columns.map { column in
          .release(
            Statement(text: "DELETE FROM \(members.table) WHERE \(column) IN \(owners)"),
            reporting: nil,
            slot: nil
          )
        }
    }
  }
}
