// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Writes the objects of another store into new tables, which have no foreign keys, indexes and triggers yet.
///
/// A row can therefore refer to a row that is written later, and each table is indexed once at the end.
struct PostgresLoader {
  let connection: PostgresConnection
  let layout: Layout
  private let statements: PostgresStatements
  private let encoder: PostgresRowEncoder
  private let path: String

  init(_ connection: PostgresConnection, _ layout: Layout) {
    self.connection = connection
    self.layout = layout
    path = connection.address.description
    statements = PostgresStatements(layout)
    encoder = PostgresRowEncoder(layout: layout, path: path)
  }

  /// Writes a batch, whose inserts have permanent keys.
  ///
  /// - Throws: `StoreError`; `.invalidRequest` for a value that the database cannot hold.
  /// - Complexity: a COPY for each entity and many-to-many relationship of the batch, and a statement for each
  ///   ordered relationship.
  func write(_ batch: SaveBatch) throws {
    for (entity, inserts) in Dictionary(grouping: batch.inserts, by: \.key.entity)
      .sorted(by: { $0.key < $1.key })
    {
      try write(inserts, of: entity)
    }
    for (place, links) in Dictionary(
      grouping: batch.links,
      by: { Place($0.owner, $0.slot, layout) }
    )
    .sorted(by: { $0.key < $1.key }) {
      try write(links, place)
    }
    for (place, orders) in Dictionary(
      grouping: batch.orders,
      by: { Place($0.owner, $0.slot, layout) }
    ).sorted(by: { $0.key < $1.key }) {
      try write(orders, place)
    }
  }

  /// A to-many relationship of an entity.
  private struct Place: Hashable, Comparable {
    let entity: Int
    let slot: Int

    init(_ owner: ObjectKey, _ slot: Int, _ layout: Layout) {
      entity = layout.model.entities[owner.entity].properties[slot].declaringEntity
      self.slot = slot
    }

    static func < (left: Place, right: Place) -> Bool {
      (left.entity, left.slot) < (right.entity, right.slot)
    }
  }

  private func write(_ inserts: [SaveBatch.Insert], of entity: Int) throws {
    let statement = statements.inserts[entity]
    let number = Int32(truncatingIfNeeded: layout.entities[entity].number)
    try connection.copy(into: statement.target, rows: inserts.count) { row, fields in
      let insert = inserts[row]
      fields.beginRow(fields: statement.steps.count + 3)
      fields.append(insert.key.number)
      fields.append(entity: number)
      fields.append(Int64(1))
      try encoder.append(
        statement.steps,
        of: insert.chunk,
        insert.row,
        key: insert.key,
        to: &fields
      )
    }
  }

  private func write(_ links: [SaveBatch.LinkChange], _ place: Place) throws {
    guard let members = layout.entities[place.entity].members[place.slot] else { return }
    let pairs = links.flatMap { link in link.added.map { (link.owner.number, $0.number) } }
    if members.isJoin {
      let target = "\(members.table) (\(members.ownerColumn), \(members.memberColumn))"
      try connection.copy(into: target, rows: pairs.count) { row, fields in
        fields.beginRow(fields: 2)
        fields.append(pairs[row].0)
        fields.append(pairs[row].1)
      }
    } else {
      var values = PostgresFields()
      values.append(pairs.map(\.0))
      values.append(pairs.map(\.1))
      try connection.run(
        "UPDATE \(members.table) AS t SET \(members.ownerColumn) = v.o "
          + "FROM unnest($1, $2) AS v (o, m) WHERE t.\(members.memberColumn) = v.m",
        values
      )
    }
  }

  private func write(_ orders: [SaveBatch.OrderChange], _ place: Place) throws {
    guard let members = layout.entities[place.entity].members[place.slot],
      let column = members.orderColumn
    else { return }
    var values = PostgresFields()
    values.append(orders.flatMap { order in order.members.map { _ in order.owner.number } })
    values.append(orders.flatMap { $0.members.map(\.number) })
    values.append(
      orders.flatMap { order in
        OrderPositions.changes(order.members.map(\.number), stored: [:]).map { $0 ?? 0 }
      }
    )
    try connection.run(
      "UPDATE \(members.table) AS t SET \(column) = v.p FROM unnest($1, $2, $3) AS v (o, m, p) "
        + "WHERE t.\(members.ownerColumn) = v.o AND t.\(members.memberColumn) = v.m",
      values
    )
  }

  /// Lets the sequences of the tables continue after the greatest numbers that were ever assigned.
  func raise(_ lastNumbers: [Int: Int64]) throws {
    for (root, number) in lastNumbers.sorted(by: { $0.key < $1.key }) where number > 0 {
      try connection.run(
        "SELECT setval(pg_get_serial_sequence($1, 'z_pk'), $2, false)",
        PostgresFields([
          .text(layout.entities[root].table),
          .integer(min(number + 1, ObjectKey.maximumNumber - PostgresSchema.block)),
        ])
      )
    }
  }
}
#endif
