// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Translates a fetch index of the model to the statement that creates the index.
///
/// Source: observed for indexes of columns, `docs/reference/sqlite-format.md`, Indexes; this library's choice
/// for partial indexes and indexes of expressions.
struct FetchIndexStatement {
  private let index: FetchIndexDefinition
  private let entity: EntityDefinition
  private let layout: Layout
  private let compiler: ConditionCompiler
  private let scope: Scope

  init(_ index: FetchIndexDefinition, of entity: EntityDefinition, layout: Layout) {
    self.index = index
    self.entity = entity
    self.layout = layout
    compiler = ConditionCompiler(layout: layout, storeIndex: 0)
    scope = Scope(root: entity, compiler: compiler)
  }

  /// The `CREATE INDEX` statement; nil if the index is not created.
  ///
  /// These indexes are not created:
  /// - an index of the R-tree kind;
  /// - an index whose only element is a to-one, if it has no condition, because every to-one has an index
  ///   already (observed, 18 of 18);
  /// - an index without elements, or with a property that has no column, such as a to-many;
  /// - an index whose expression or condition needs other tables, or cannot be expressed in SQL;
  /// - an index that contains the current time, because it would always contain the time of its creation;
  /// - an index that calls functions of this library, because other programs could not write to the file;
  /// - an index whose expression or condition is not valid.
  var statement: IndexStatement? {
    if index.elements.count == 1, index.partialPredicate == nil,
      entity.property(named: index.elements[0].property)?.isToOne == true
    {
      return nil
    }
    let parts = index.elements.compactMap(part)
    if parts.isEmpty || parts.count != index.elements.count { return nil }
    var made = IndexStatement(
      name: "Z_\(entity.name)_\(index.name)",
      table: layout.entities[entity.index].table,
      parts: parts
    )
    if let format = index.partialPredicate {
      // An error means that the text is not a condition, or that SQL cannot express the condition. The index
      // is then not created.
      guard let condition = try? Condition(format: format), !condition.calls(.now),
        let piece = try? compiler.condition(condition, in: scope),
        let text = textInDefinition(of: piece)
      else { return nil }
      made.condition = text
    }
    return made
  }

  private func part(_ element: FetchIndexDefinition.Element) -> String? {
    if element.isRTree { return nil }
    let dialect = layout.dialect
    if let slot = entity.slotByName[element.property] {
      guard let column = layout.entities[entity.index].column(slot) else { return nil }
      return column.names.map {
        dialect.indexElement($0, isColumn: true, ascending: element.isAscending)
      }.joined(separator: ", ")
    }
    // An error means that the text is not an expression, or that SQL cannot express the expression. The index
    // is then not created.
    guard element.isExpression, let term = try? Term(format: element.property), !term.calls(.now),
      case .column(let piece, _)? = try? compiler.operand(term, in: scope),
      let text = textInDefinition(of: piece)
    else { return nil }
    return dialect.indexElement(text, isColumn: false, ascending: element.isAscending)
  }

  /// Returns the piece with its values as literals and its columns without the table's name; nil if an index
  /// cannot contain the piece.
  private func textInDefinition(of piece: SQL) -> String? {
    let excluded: SQL.Traits = [.hasSubselect, .callsOwnFunctions]
    if !scope.joins.isEmpty || !piece.traits.isDisjoint(with: excluded) { return nil }
    return piece.segments.map { segment in
      switch segment {
      case .text(let text): text
      case .qualifier: ""
      case .value(let value): layout.dialect.literal(value)
      }
    }.joined()
  }
}

extension Layout {
  /// Returns the statement that creates a fetch index in a database server, which names the index; nil if the
  /// index is not created (`FetchIndexStatement.statement`).
  package func serverStatement(
    _ index: FetchIndexDefinition,
    of entity: EntityDefinition
  ) -> String? {
    guard let made = FetchIndexStatement(index, of: entity, layout: self).statement else {
      return nil
    }
    let filter = made.condition.map { " WHERE \($0)" } ?? ""
    return "CREATE INDEX ON \(made.table) (\(made.parts.joined(separator: ", ")))\(filter)"
  }
}
