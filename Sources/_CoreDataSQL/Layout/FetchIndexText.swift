// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// A fetch index of the model → the statement that makes it.
///
/// Source: observed for columns, `docs/reference/sqlite-format.md`, Indexes; partial indexes and
/// those on expressions chosen.
struct FetchIndexText {
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
    scope = Scope(entity, compiler: compiler)
  }

  /// `CREATE INDEX`; nil for the R-tree kind, for a to-one alone, which has an index anyway (observed, 18
  /// of 18), and where an expression or the condition needs other tables, the time, which would stay that
  /// of the making, or functions of this library, without which no other program could write to the file.
  var statement: String? {
    if index.elements.count == 1, index.partialPredicate == nil,
      entity.property(named: index.elements[0].property)?.isToOne == true
    {
      return nil
    }
    let parts = index.elements.compactMap(part)
    if parts.isEmpty || parts.count != index.elements.count { return nil }
    let table = layout.entities[entity.index].table
    let text =
      "CREATE INDEX Z_\(entity.name)_\(index.name) ON \(table) (\(parts.joined(separator: ", ")))"
    guard let format = index.partialPredicate else { return text }
    // What is not a condition, or not one that SQL can say, has no index.
    guard let condition = try? Condition(format: format), !condition.calls(.now),
      let piece = try? compiler.condition(condition, in: scope), let inlined = inlined(piece)
    else { return nil }
    return "\(text) WHERE \(inlined)"
  }

  private func part(_ element: FetchIndexDefinition.Element) -> String? {
    if element.isRTree { return nil }
    let direction = element.isAscending ? "ASC" : "DESC"
    if let slot = entity.slotByName[element.property] {
      guard let column = layout.entities[entity.index].column(slot) else { return nil }
      return column.names.map { "\($0) COLLATE BINARY \(direction)" }.joined(separator: ", ")
    }
    // What is not an expression, or not one that SQL can say, has no index.
    guard element.isExpression, let term = try? Term(format: element.property), !term.calls(.now),
      case .column(let piece, _)? = try? compiler.operand(term, in: scope),
      let inlined = inlined(piece)
    else { return nil }
    return "\(inlined) COLLATE BINARY \(direction)"
  }

  /// The piece with its values written out and columns without the table's name.
  private func inlined(_ piece: SQL) -> String? {
    if !scope.joins.isEmpty || piece.mentions("SELECT ") { return nil }
    if [ValueCall.name, TextCall.name, CompositeCall.name].contains(where: piece.mentions) {
      return nil
    }
    return piece.segments.map { segment in
      switch segment {
      case .text(let text): text.split(separator: "\(scope.alias).").joined()
      case .value(let value): value.literal
      }
    }.joined()
  }
}

extension Binding {
  /// The value as SQL writes it.
  package var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .double(let number): number.isFinite ? number.description : "NULL"
    case .text(let text):
      "'"
        + text.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''") + "'"
    case .blob(let data):
      "x'" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }
}
