// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// What to run for a fetch and how to read its rows.
package struct FetchPlan: Sendable {
  package enum Reading: Sendable {
    /// `Z_PK`, `Z_OPT`, then what the source says.
    case rows(RowSource)
    /// `Z_PK`, and `Z_ENT` where the source has several entities.
    case keys(RowSource)
    /// One integer.
    case count
    case dictionaries([ResultColumn])
  }
  package let statement: Statement
  package let reading: Reading
  /// The order of rows that come unordered; nil where the statement orders them.
  package let sorter: RowSorter?
}

/// How the rows of a to-many's members are read.
package struct MemberRowsStatement: Sendable {
  package let text: String
  /// The entity of the source to read with.
  package let destination: Int
}

/// One column of a dictionary result.
package struct ResultColumn: Sendable {
  package enum Kind: Sendable {
    case value(SlotKind)
    /// Data whose first byte tells where the rest is.
    case tagged
    /// The record of a composite attribute.
    case composite([CompositeElement])
    /// A to-one; its entity, unless the next column of the statement tells the number.
    case reference(entity: Int, hasEntityColumn: Bool)
    /// Whatever the engine gives.
    case any
  }
  package let kind: Kind
}

/// The columns of an entity and all below it, and where each entity's slots are among them.
package struct RowSource: Sendable {
  /// One property in a result row.
  package struct Field: Sendable {
    /// Position among the statement's columns.
    package let position: Int32
    package let slot: Int
    package let kind: SlotKind
    /// Position of a to-one's entity number, -1 where the destination is the entity.
    package let entityPosition: Int32
    package let destination: Int
    package let isTagged: Bool
  }
  package let entity: Int
  /// Whether the third column is `Z_ENT`.
  package let hasEntityColumn: Bool
  /// The table's columns to read, after `Z_PK`, `Z_OPT` and `Z_ENT`.
  package let columns: [SelectedColumn]
  /// Fields by entity index minus `entity`.
  package let fields: [[Field]]

  package init(entity: EntityDefinition, layout: Layout) {
    self.entity = entity.index
    hasEntityColumn = layout.entities[entity.index].sharesTable
    var columns: [SelectedColumn] = []
    var positions: [SelectedColumn: Int32] = [:]
    let first: Int32 = hasEntityColumn ? 3 : 2
    func position(of column: SelectedColumn) -> Int32 {
      if let known = positions[column] { return known }
      let position = first + Int32(columns.count)
      columns.append(column)
      positions[column] = position
      return position
    }
    fields = entity.family.map { member in
      layout.entities[member].columns.map { column in
        Field(
          position: position(of: column.selected),
          slot: column.slot,
          kind: column.kind,
          entityPosition: column.entityColumn.map {
            position(of: SelectedColumn(names: [$0], kinds: nil))
          } ?? -1,
          destination: column.destination,
          isTagged: column.isTagged
        )
      }
    }
    self.columns = columns
  }

  /// The columns to select for rows, of the table under the name `alias`.
  func selection(_ alias: String) -> SQL {
    let names = ["Z_PK", "Z_OPT"] + (hasEntityColumn ? ["Z_ENT"] : [])
    let texts = names.map { "\(alias).\($0)" } + columns.map { $0.text(alias) }
    return SQL([.text(texts.joined(separator: ", "))])
  }

  /// A call that hands the columns over; the columns themselves where they are too many for one.
  func collected(_ selection: SQL) -> SQL {
    if columns.count > RowCollection.widest { return selection }
    return "\(name: RowCollection.function)(\(selection))"
  }

  /// The columns to select for keys.
  func keySelection(_ alias: String) -> SQL {
    SQL([.text(hasEntityColumn ? "\(alias).Z_PK, \(alias).Z_ENT" : "\(alias).Z_PK")])
  }
}
