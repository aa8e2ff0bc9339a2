// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Plans how a migration transfers the links of the old relationships to the relationships of the new model.
struct LinkPlanner {
  typealias Declared = LayoutBuilder.Declared

  let mapping: ModelMapping
  let old: Layout
  let new: Layout
  let file: StoredObjects
  /// The to-ones whose links the old file stores in another form, such as a join table; a `LinkTransfer`
  /// fills their columns.
  private(set) var moved: Set<Declared> = []
  private(set) var transfers: [LinkTransfer] = []
  /// The join tables that get the rows of old join tables.
  private(set) var joins: [JoinSource] = []
  /// Steps that clear the link of a one-to-one relationship if the other object does not link back.
  private(set) var agreements: [MigrationStep] = []
  private(set) var orders: [OrderFill] = []

  /// A join table, and the old join table whose rows it gets.
  struct JoinSource {
    let layout: JoinLayout
    let source: String
    /// New column → old column; nil for an order column that the old table does not have.
    let columns: [(name: String, old: String?)]
  }

  /// Assigns an order position to each row without one, in the order of the primary keys, or of the row IDs
  /// of a join table.
  struct OrderFill {
    let table: String
    let owner: String
    let order: String
    let isJoin: Bool

    var step: MigrationStep {
      let key = isJoin ? "rowid" : "Z_PK"
      return MigrationStep(
        .changeRows,
        table,
        [
          "UPDATE \(table) SET \(order) = o.P FROM (SELECT \(key) AS K, 1024 + 1024 * row_number() "
            + "OVER (PARTITION BY \(owner) ORDER BY \(key)) AS P FROM \(table) "
            + "WHERE \(owner) IS NOT NULL) AS o WHERE \(table).\(key) = o.K "
            + "AND \(table).\(order) IS NULL"
        ]
      )
    }
  }

  init(_ mapping: ModelMapping, old: Layout, new: Layout, file: StoredObjects) {
    self.mapping = mapping
    self.old = old
    self.new = new
    self.file = file
    for entity in new.model.entities {
      for property in entity.properties
      where property.declaringEntity == entity.index && !property.isTransient {
        guard let relationship = property.relationship else { continue }
        if relationship.isToMany {
          planToMany(property, of: entity, relationship)
        } else {
          planToOne(property, of: entity, relationship)
        }
      }
    }
  }

  private func inverse(_ relationship: RelationshipDefinition) -> PropertyDefinition? {
    relationship.inverse.map { new.model.entities[relationship.destination].properties[$0] }
      .flatMap { $0.isTransient ? nil : $0 }
  }

  private func property(_ source: LinkSources.Source) -> PropertyDefinition {
    old.model.entities[source.entity].properties[source.slot]
  }

  private func sources(of property: PropertyDefinition) -> LinkSources {
    LinkSources(of: property, mapping, old)
  }

  // MARK: To-ones

  private mutating func planToOne(
    _ property: PropertyDefinition,
    of entity: EntityDefinition,
    _ relationship: RelationshipDefinition
  ) {
    guard let column = new.entities[entity.index].column(property.slot) else { return }
    let own = sources(of: property)
    let isDirect = own.owners.contains { self.property($0.source).isToOne }
    let table = new.entities[entity.index].table
    let inverse = inverse(relationship)
    let others = inverse.map(sources)
    if let inverse, inverse.isToOne, let others, !others.isEmpty, !areInverses(own, others) {
      planOneToOne(column, inverse, in: table, isDirect: isDirect)
      if isDirect { return }
    } else if isDirect {
      noteOrder(of: column, in: table, own)
      return
    }
    guard let others, !others.isEmpty else { return }
    moved.insert(Declared(entity: entity.index, slot: property.slot))
    let destinations = new.entities[relationship.destination].table
    var transfer = LinkTransfer(
      transfers.count,
      "\(entity.name).\(property.name)",
      .column(column, table: table, destinations: destinations)
    )
    transfer.add(others, old, reversed: true)
    append(transfer)
    if let order = column.orderColumn, !transfer.hasOwnerPlaces {
      orders.append(OrderFill(table: table, owner: column.name, order: order, isJoin: false))
    }
  }

  private func areInverses(_ one: LinkSources, _ other: LinkSources) -> Bool {
    guard let first = one.owners.first, let second = other.owners.first else { return false }
    return property(first.source).relationship?.inverse == second.source.slot
  }

  /// Adds a step for two to-ones that become inverses of each other.
  ///
  /// The step clears a link in one direction if there is no link back.
  private mutating func planOneToOne(
    _ column: PropertyColumn,
    _ inverse: PropertyDefinition,
    in table: String,
    isDirect: Bool
  ) {
    guard let other = new.entities[inverse.declaringEntity].column(inverse.slot) else { return }
    let members = new.entities[inverse.declaringEntity].table
    func agreement(
      of column: PropertyColumn,
      in table: String,
      with other: String,
      in others: String
    ) -> MigrationStep {
      let names = [column.name, column.entityColumn, column.orderColumn].compactMap(\.self)
      let parts = names.map { "\($0) = NULL" }.joined(separator: ", ")
      return MigrationStep(
        .clearLinks,
        table,
        [
          "UPDATE \(table) SET \(parts) WHERE \(column.name) IS NOT NULL AND NOT EXISTS "
            + "(SELECT 1 FROM \(others) AS o WHERE o.Z_PK = \(table).\(column.name) "
            + "AND o.\(other) = \(table).Z_PK)"
        ]
      )
    }
    if isDirect {
      agreements.append(agreement(of: column, in: table, with: other.name, in: members))
    } else {
      agreements.append(agreement(of: other, in: members, with: column.name, in: table))
    }
  }

  private mutating func noteOrder(
    of column: PropertyColumn,
    in table: String,
    _ sources: LinkSources
  ) {
    guard let order = column.orderColumn else { return }
    let isKnown = sources.owners.allSatisfy {
      old.entities[$0.source.entity].column($0.source.slot)?.orderColumn != nil
    }
    if isKnown { return }
    orders.append(OrderFill(table: table, owner: column.name, order: order, isJoin: false))
  }

  private mutating func append(_ transfer: LinkTransfer) {
    if !transfer.isEmpty { transfers.append(transfer) }
  }

  // MARK: To-manys

  private mutating func planToMany(
    _ property: PropertyDefinition,
    of entity: EntityDefinition,
    _ relationship: RelationshipDefinition
  ) {
    guard let members = new.entities[entity.index].members[property.slot] else { return }
    if members.isHidden {
      planHidden(property, of: entity, members)
    } else if members.isJoin {
      planJoin(property, of: entity, members, relationship)
    }
  }

  private mutating func planHidden(
    _ property: PropertyDefinition,
    of entity: EntityDefinition,
    _ members: MemberLayout
  ) {
    let own = sources(of: property)
    if own.isEmpty { return }
    var isOrdered = false
    if let whole = own.whole, let before = old.entities[whole.entity].members[whole.slot],
      before.isHidden, file.schema.hasColumn(before.ownerColumn, in: before.table),
      isSuccessor(members.table, of: before.table)
    {
      isOrdered = before.orderColumn != nil
    } else {
      var transfer = LinkTransfer(
        transfers.count,
        "\(entity.name).\(property.name)",
        .hidden(members)
      )
      transfer.add(own, old, reversed: false)
      append(transfer)
      isOrdered = transfer.hasPlaces
    }
    if let order = members.orderColumn, !isOrdered {
      orders.append(
        OrderFill(table: members.table, owner: members.ownerColumn, order: order, isJoin: false)
      )
    }
  }

  /// Whether the new table gets rows of the old table.
  private func isSuccessor(_ table: String, of before: String) -> Bool {
    new.model.entities.contains { entity in
      new.entities[entity.index].table == table
        && mapping.sourceEntities[entity.index].map { old.entities[$0].table == before } ?? false
    }
  }

  private mutating func planJoin(
    _ property: PropertyDefinition,
    of entity: EntityDefinition,
    _ members: MemberLayout,
    _ relationship: RelationshipDefinition
  ) {
    guard let inverse = inverse(relationship),
      let join = new.joins.first(where: { $0.name == members.table }),
      members.ownerColumn == join.columns[0]
    else { return }
    let isReflexive =
      inverse.slot == property.slot
      && inverse.declaringEntity == property.declaringEntity
    let otherOrder =
      isReflexive ? nil : new.entities[inverse.declaringEntity].members[inverse.slot]?.orderColumn
    let own = sources(of: property)
    let others = isReflexive ? own : sources(of: inverse)
    if own.isEmpty, others.isEmpty { return }
    let places: (members: Bool, owners: Bool)
    if let source = joinSource(of: join, members, otherOrder: otherOrder, own, others) {
      joins.append(source)
      func isKnown(_ name: String?) -> Bool {
        source.columns.first { $0.name == name }?.old != nil
      }
      places = (isKnown(members.orderColumn), isKnown(otherOrder))
    } else {
      var transfer = LinkTransfer(
        transfers.count,
        "\(entity.name).\(property.name)",
        .join(members, otherOrder: otherOrder)
      )
      transfer.add(own, old, reversed: false)
      if !areInverses(own, others), !isReflexive { transfer.add(others, old, reversed: true) }
      append(transfer)
      places = (transfer.hasPlaces, transfer.hasOwnerPlaces)
    }
    if let order = members.orderColumn, !places.members {
      orders.append(
        OrderFill(table: join.name, owner: members.ownerColumn, order: order, isJoin: true)
      )
    }
    if let order = otherOrder, !places.owners {
      orders.append(
        OrderFill(table: join.name, owner: members.memberColumn, order: order, isJoin: true)
      )
    }
  }

  /// Returns the old join table whose rows the new table gets; nil unless a single old join table contains
  /// all links.
  private func joinSource(
    of join: JoinLayout,
    _ members: MemberLayout,
    otherOrder: String?,
    _ own: LinkSources,
    _ others: LinkSources
  ) -> JoinSource? {
    guard own.isEmpty || others.isEmpty || areInverses(own, others),
      let before = storedJoin(own, reversed: false) ?? storedJoin(others, reversed: true),
      file.has(before.table)
    else { return nil }
    let stored = file.schema.columns[before.table] ?? []
    let columns = join.columns.map { name -> (String, String?) in
      let source: String? =
        switch name {
        case members.ownerColumn: before.owner
        case members.memberColumn: before.member
        case members.orderColumn: before.place
        case otherOrder: before.ownerPlace
        default: nil
        }
      return (name, source.flatMap { stored.contains($0) ? $0 : nil })
    }
    guard columns[0].1 != nil, columns[1].1 != nil else { return nil }
    return JoinSource(layout: join, source: before.table, columns: columns)
  }

  private struct StoredJoin {
    let table: String
    let owner: String
    let member: String
    let place: String?
    let ownerPlace: String?
  }

  private func storedJoin(_ sources: LinkSources, reversed: Bool) -> StoredJoin? {
    guard let whole = sources.whole, let members = old.entities[whole.entity].members[whole.slot],
      members.isJoin, let relationship = property(whole).relationship
    else { return nil }
    let other = relationship.inverse.flatMap {
      old.entities[relationship.destination].members[$0]?.orderColumn
    }
    return reversed
      ? StoredJoin(
        table: members.table,
        owner: members.memberColumn,
        member: members.ownerColumn,
        place: other,
        ownerPlace: members.orderColumn
      )
      : StoredJoin(
        table: members.table,
        owner: members.ownerColumn,
        member: members.memberColumn,
        place: members.orderColumn,
        ownerPlace: other
      )
  }
}
