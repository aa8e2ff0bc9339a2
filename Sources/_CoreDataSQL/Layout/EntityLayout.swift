// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The columns of one stored property of an entity.
package struct PropertyColumn: Sendable {
  package let slot: Int
  package let kind: SlotKind
  /// The name of the column; empty for a composite attribute, because each of its parts has a column.
  package let name: String
  /// The column with the destination's entity number; nil unless the property is a to-one whose destination
  /// has subentities, and the file has such a column.
  package let entityColumn: String?
  /// The column with the object's position among the owner's members; nil unless the property is a to-one
  /// whose inverse is ordered, and the file has such a column.
  package let orderColumn: String?
  /// The index of a to-one's destination entity; 0 for an attribute.
  package let destination: Int
  /// Whether the first byte of the value states where the content is stored.
  package let isTagged: Bool
  /// The columns of a composite attribute's elements; empty for any other property.
  package var parts: [Part] = []

  /// One element of a composite attribute.
  package struct Part: Sendable {
    package let column: PropertyColumn
    package let element: CompositeElement
  }

  /// The names of the columns that contain the value, without the additional columns of a to-one.
  package var names: [String] { parts.isEmpty ? [name] : parts.map(\.column.name) }

  /// The name of the column that contains the value; nil for a composite attribute.
  package var singleName: String? { parts.isEmpty ? name : nil }

  /// The column or columns that a statement selects to read the value.
  package var selected: SelectedColumn {
    SelectedColumn(names: names, kinds: parts.isEmpty ? nil : parts.map(\.column.kind))
  }
}

/// A selected column, or the columns of a composite attribute, which are selected as one record.
package struct SelectedColumn: Sendable, Hashable {
  package let names: [String]
  /// The kinds of a composite attribute's columns; nil for a plain column.
  package let kinds: [SlotKind]?

  func piece(_ alias: String, _ dialect: any Dialect) -> SQL {
    guard let kinds else { return SQL.column(names[0], of: alias) }
    return dialect.record(names.map { SQL.column($0, of: alias) }, kinds)
  }
}

/// The table and columns that store which objects are the members of a to-many.
package struct MemberLayout: Sendable {
  /// The table with the pairs of owner and member: the members' own table, or a join table.
  package let table: String
  package let ownerColumn: String
  /// The column with the member's primary key, which is `Z_PK` in the members' own table.
  package let memberColumn: String
  /// The column that orders the members of one owner; nil if the relationship is not ordered, or the file has
  /// no such column.
  package let orderColumn: String?
  /// Whether `table` is a join table rather than the members' own table.
  package let isJoin: Bool
  /// Whether the owner column does not belong to a property, because the to-many has no inverse.
  package let isHidden: Bool
}

/// The table and columns of one entity.
package struct EntityLayout: Sendable {
  package let entity: Int
  package let table: String
  /// The entity number in the file (`Z_ENT`).
  package let number: Int64
  /// Whether several entities share the table; `Z_ENT` then identifies the entity of each row.
  package let sharesTable: Bool
  /// The columns of the stored properties, by ascending slot.
  package let columns: [PropertyColumn]
  /// Slot → index in `columns`; -1 for a slot without a column.
  package let columnIndexBySlot: [Int]
  /// Slot of a persistent to-many → the layout of its members.
  package let members: [Int: MemberLayout]

  package func column(_ slot: Int) -> PropertyColumn? {
    let index = columnIndexBySlot[slot]
    return index < 0 ? nil : columns[index]
  }
}

/// The name and type of a column, as in its table's definition.
package struct ColumnDefinition: Sendable, Hashable {
  package let name: String
  package let type: String
  package init(name: String, type: String) {
    self.name = name
    self.type = type
  }
}

/// The table of one entity hierarchy.
package struct TableLayout: Sendable {
  package let name: String
  /// The index of the root entity.
  package let root: Int
  /// All columns after `Z_PK`, `Z_ENT` and `Z_OPT`, in the order of the table.
  package var columns: [ColumnDefinition]
}

/// The join table of one many-to-many relationship.
package struct JoinLayout: Sendable {
  package let name: String
  /// The names of the two key columns, followed by those of the order columns; all columns are integers.
  package let columns: [String]
  package let isReverseIndexed: Bool
}
