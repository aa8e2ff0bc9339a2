// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The statement of a fetch, and the form of its rows.
package struct FetchPlan: Sendable {
  package enum Reading: Sendable {
    /// Each row has `Z_PK` and `Z_OPT`, then `Z_ENT` if the source's `hasEntityColumn` is true, then the
    /// source's columns.
    case rows(RowSource)
    /// Each row has `Z_PK`, then `Z_ENT` if the source's `hasEntityColumn` is true.
    case keys(RowSource)
    /// The statement returns one row with one integer.
    case count
    case dictionaries([DictionaryColumn])
  }
  package let statement: Statement
  package let reading: Reading
  /// The sorter of the fetched rows; nil if the statement sorts the rows, or if the fetch has no sort keys.
  package let sorter: RowSorter?
}

/// A statement that selects whole rows of one hierarchy; the parameters are keys, in the form of a
/// `KeyCount`.
package struct RowQuery: Sendable {
  package let statement: Statement
  /// The index of the entity whose `RowSource` describes the rows.
  package let entity: Int
}

/// A statement that selects pairs of owner and member; the parameters are the owners' keys, in the form of a
/// `KeyCount`.
package struct PairQuery: Sendable {
  /// A query for the primary keys of owner and member and, if `hasEntityColumn` is true, the member's entity
  /// number.
  package let statement: Statement
  package let hasEntityColumn: Bool
  /// The index of the members' entity, which is used if the pairs have no entity number.
  package let destination: Int
}

/// One column of a dictionary result.
package struct DictionaryColumn: Sendable {
  package enum Kind: Sendable {
    case value(SlotKind)
    /// Data whose first byte states where the content is stored.
    case tagged
    /// The record of a composite attribute.
    case composite([CompositeElement])
    /// The destination of a to-one, or the fetched object itself.
    ///
    /// If `hasEntityColumn` is true, the next column of the statement contains the object's entity number.
    /// Otherwise the object is of the entity at the index `entity`.
    case reference(entity: Int, hasEntityColumn: Bool)
    /// Any value, as the engine returns it.
    case any
  }
  package let kind: Kind
}

/// The columns to select for an entity and its subentities, and the positions of each entity's slots among
/// these columns.
package struct RowSource: Sendable {
  /// One property in a result row.
  package struct Field: Sendable {
    /// The index of the property's column among the statement's columns.
    package let position: Int32
    package let slot: Int
    package let kind: SlotKind
    /// The position of the column with the entity number of a to-one's destination; -1 if there is no such
    /// column.
    ///
    /// Without the column, every destination is read as an object of the destination entity itself.
    package let entityPosition: Int32
    package let destination: Int
    package let isTagged: Bool
  }
  package let entity: Int
  static let alias = Scope.rootAlias
  /// Whether `Z_ENT` is selected: as the third column for rows, as the second column for keys.
  package let hasEntityColumn: Bool
  /// The table's columns to read, after `Z_PK`, `Z_OPT` and, if it is selected, `Z_ENT`.
  package let columns: [SelectedColumn]
  /// The fields of the entity and its subentities; an entity's fields are at its index minus `entity`.
  package let fields: [[Field]]
  let selection: SQL
  private let own: RowColumns

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
    let dialect = layout.dialect
    own = dialect.columns
    let names = [own.key, own.version] + (hasEntityColumn ? [own.entity] : [])
    let pieces =
      names.map { SQL.column($0, of: Self.alias) } + columns.map { $0.piece(Self.alias, dialect) }
    selection = pieces.joined(separator: ", ").flattened
  }

  var keySelection: SQL {
    let key = SQL.column(own.key, of: Self.alias).with(.isPrimaryKey)
    return hasEntityColumn ? "\(key), \(column: own.entity, of: Self.alias)" : key
  }

  var canBeCollected: Bool { columns.count <= RowCollection.widest }
}
