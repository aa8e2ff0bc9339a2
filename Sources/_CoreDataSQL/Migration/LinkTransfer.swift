// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Moves the links of a relationship that the new file stores in another form, such as a join table instead
/// of a column.
///
/// The links are read into a temporary table before the old tables are dropped, and written after the new
/// tables have been created.
struct LinkTransfer {
  typealias Declared = LayoutBuilder.Declared

  /// The storage of the links in the new file.
  enum Target {
    /// The column of a to-one.
    case column(PropertyColumn, table: String, destinations: String)
    /// The hidden column of a to-many without an inverse, in the members' table.
    case hidden(MemberLayout)
    /// A join table: the layout of one to-many, and the order column of its inverse.
    case join(MemberLayout, otherOrder: String?)
  }

  /// The name of the new relationship in the texts of the steps, such as `Book.author`.
  let subject: String
  let target: Target
  private let number: Int
  /// Statements that select owner, member, the member's position and the owner's position.
  private var selections: [String] = []
  /// Whether all sources store the positions of the members.
  private(set) var hasPlaces = true
  /// Whether all sources store the positions of the owners.
  private(set) var hasOwnerPlaces = true
  /// The old tables from which the links are read.
  private(set) var tables: Set<String> = []

  init(_ number: Int, _ subject: String, _ target: Target) {
    self.number = number
    self.subject = subject
    self.target = target
  }

  private var table: String { "temp.CDLinks\(number)" }

  /// Adds the links of old relationships; `reversed` is true if the old relationships lead from members to
  /// owners.
  mutating func add(_ sources: LinkSources, _ old: Layout, reversed: Bool) {
    for (source, numbers) in sources.owners {
      let restriction = sources.whole == nil ? numbers : nil
      guard let links = StoredLinks(source, old, owners: restriction) else { continue }
      let (places, ownerPlaces) = (links.place, links.ownerPlace)
      hasPlaces = hasPlaces && (reversed ? ownerPlaces : places) != nil
      hasOwnerPlaces = hasOwnerPlaces && (reversed ? places : ownerPlaces) != nil
      tables.insert(links.table)
      selections.append(reversed ? links.reversedSelection : links.selection)
    }
  }

  var isEmpty: Bool { selections.isEmpty }

  /// The step that reads the links into the temporary table.
  var collecting: MigrationStep {
    let create =
      "CREATE TEMP TABLE CDLinks\(number) "
      + "(OWNER INTEGER, MEMBER INTEGER, PLACE INTEGER, OWNERPLACE INTEGER)"
    let counted = selections.map { "SELECT COUNT(*) AS N FROM (\($0))" }
    return MigrationStep(
      .moveLinks,
      subject,
      [create] + selections.map { "INSERT INTO \(table) \($0)" }
    ).touching("SELECT SUM(N) FROM (\(counted.joined(separator: " UNION ALL ")))")
  }

  /// The step that writes the links to the new tables.
  var writing: MigrationStep {
    let step = MigrationStep(.moveLinks, subject, [statement, "DROP TABLE \(table)"])
    return excess.map { step.losing($0) } ?? step
  }

  /// A statement that counts the links that are lost, because a column holds only one link in each row.
  ///
  /// This is nil for a join table, which holds all links.
  private var excess: String? {
    let key: String
    switch target {
    case .column: key = "OWNER"
    case .hidden: key = "MEMBER"
    case .join: return nil
    }
    return
      "WITH l(OWNER, MEMBER, PLACE, OWNERPLACE) AS (\(selections.joined(separator: " UNION "))) "
      + "SELECT COUNT(*) - COUNT(DISTINCT \(key)) FROM l"
  }

  /// The statement that writes the links of the temporary table to the new tables.
  ///
  /// If a column can hold only one of several links, the statement writes the link to the highest primary
  /// key. Setting the links one by one, in the order of their primary keys, would have the same result.
  private var statement: String {
    switch target {
    case .column(let column, let owners, let destinations):
      var parts = ["\(column.name) = l.MEMBER"]
      if let name = column.entityColumn {
        parts.append("\(name) = (SELECT Z_ENT FROM \(destinations) WHERE Z_PK = l.MEMBER)")
      }
      if let name = column.orderColumn { parts.append("\(name) = l.OWNERPLACE") }
      return "UPDATE \(owners) SET \(parts.joined(separator: ", ")) FROM "
        + "(SELECT OWNER, MAX(MEMBER) AS MEMBER, OWNERPLACE FROM \(table) GROUP BY OWNER) AS l "
        + "WHERE \(owners).Z_PK = l.OWNER"
    case .hidden(let members):
      var parts = ["\(members.ownerColumn) = l.OWNER"]
      if let name = members.orderColumn { parts.append("\(name) = l.PLACE") }
      return "UPDATE \(members.table) SET \(parts.joined(separator: ", ")) FROM "
        + "(SELECT MAX(OWNER) AS OWNER, MEMBER, PLACE FROM \(table) GROUP BY MEMBER) AS l "
        + "WHERE \(members.table).Z_PK = l.MEMBER"
    case .join(let members, let otherOrder):
      let orders = [(members.orderColumn, "PLACE"), (otherOrder, "OWNERPLACE")]
        .compactMap { name, value in name.map { ($0, value) } }
      let names = [members.ownerColumn, members.memberColumn] + orders.map(\.0)
      let values = ["OWNER", "MEMBER"] + orders.map(\.1)
      return "INSERT OR IGNORE INTO \(members.table)(\(names.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(table)"
    }
  }
}

/// The links of one relationship in a file, and the SELECT statements that read them.
struct StoredLinks {
  private let columns: (owner: String, member: String)
  let place: String?
  let ownerPlace: String?
  let table: String
  private let rest: String

  /// Returns nil if the file does not store the relationship.
  ///
  /// `owners` limits the links to owners with these entity numbers; nil includes all owners.
  init?(_ source: LinkSources.Source, _ layout: Layout, owners: [Int64]?) {
    let entity = layout.model.entities[source.entity]
    let property = entity.properties[source.slot]
    let place = layout.entities[source.entity]
    if property.isToOne {
      guard let column = place.column(source.slot) else { return nil }
      columns = ("Z_PK", column.name)
      table = place.table
      self.place = nil
      ownerPlace = column.orderColumn
      let filter = owners.map { " AND Z_ENT IN (\(SQLList.text($0)))" } ?? ""
      rest = "FROM \(place.table) WHERE \(column.name) IS NOT NULL\(filter)"
      return
    }
    guard let members = place.members[source.slot] else { return nil }
    columns = (members.ownerColumn, members.memberColumn)
    table = members.table
    self.place = members.orderColumn
    let inverse = property.relationship.flatMap { relationship in
      relationship.inverse.map { (relationship.destination, $0) }
    }
    ownerPlace =
      members.isJoin
      ? inverse.flatMap { layout.entities[$0.0].members[$0.1]?.orderColumn } : nil
    let filter =
      owners.map {
        " AND \(members.ownerColumn) IN (SELECT Z_PK FROM \(place.table) "
          + "WHERE Z_ENT IN (\(SQLList.text($0))))"
      } ?? ""
    rest =
      "FROM \(members.table) WHERE \(members.ownerColumn) IS NOT NULL "
      + "AND \(members.memberColumn) IS NOT NULL\(filter)"
  }

  /// A query for owner, member, the member's position among the owner's members, and the owner's position
  /// among the member's owners.
  var selection: String {
    "SELECT \(columns.owner), \(columns.member), \(place ?? "NULL"), \(ownerPlace ?? "NULL") \(rest)"
  }

  /// The statement `selection` with owner and member exchanged.
  var reversedSelection: String {
    "SELECT \(columns.member), \(columns.owner), \(ownerPlace ?? "NULL"), \(place ?? "NULL") \(rest)"
  }
}
