// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The statements that read rows and members by keys.
struct PostgresQueries: Sendable {
  let layout: Layout
  /// The columns of each entity's rows.
  let sources: [RowSource]
  /// The list of columns for a SELECT of an entity's rows.
  let selections: [String]

  init(_ layout: Layout) {
    self.layout = layout
    let sources = layout.model.entities.map { RowSource(entity: $0, layout: layout) }
    self.sources = sources
    selections = sources.map { source in
      let columns = source.columns.map { column in
        column.kinds == nil ? column.names[0] : "ROW(\(column.names.joined(separator: ", ")))"
      }
      let own = ["z_pk", "z_opt"] + (source.hasEntityColumn ? ["z_ent"] : [])
      return (own + columns).joined(separator: ", ")
    }
  }

  /// Returns the query for the rows of a hierarchy by an array of keys.
  func rows(root: Int) -> String {
    "SELECT \(selections[root]) FROM \(layout.entities[root].table) WHERE z_pk = ANY($1)"
  }

  /// Returns the query for the row of a hierarchy with one key.
  func row(root: Int) -> String {
    "SELECT \(selections[root]) FROM \(layout.entities[root].table) WHERE z_pk = $1"
  }

  /// Returns the query for the rows of a to-many's members, by an array of owners; nil for a relationship with
  /// a table of its own.
  func memberRows(entity: Int, slot: Int) -> (text: String, entity: Int)? {
    guard let relationship = layout.model.entities[entity].properties[slot].relationship,
      let members = layout.entities[entity].members[slot], !members.isJoin
    else { return nil }
    let text =
      "SELECT \(selections[relationship.destination]) FROM \(members.table) "
      + "WHERE \(members.ownerColumn) = ANY($1)"
      + (members.orderColumn.map { " ORDER BY \($0) NULLS FIRST" } ?? "")
    return (text, relationship.destination)
  }
}
#endif
