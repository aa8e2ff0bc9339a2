// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

struct DictionaryColumns {
  let compiler: ConditionCompiler
  let scope: Scope
  private(set) var pieces: [SQL] = []
  private(set) var results: [DictionaryColumn] = []
  /// The pieces that aggregate no rows, with the name of their column.
  private(set) var plain: [(piece: SQL, name: String)] = []
  /// The entity numbers that are selected with a reference.
  private(set) var entityPieces: [(reference: SQL, entity: SQL)] = []

  init(compiler: ConditionCompiler, scope: Scope) {
    self.compiler = compiler
    self.scope = scope
  }

  mutating func add(_ column: DictionaryShape.Column) throws {
    let (first, aggregates) = (pieces.count, compiler.rowAggregates)
    let noted = compiler.bareColumns.count
    try addPieces(column)
    if compiler.rowAggregates > aggregates { return }
    // The whole column is compared with the groups.
    compiler.forgetBareColumns(after: noted)
    if case .constant = column.term { return }
    for piece in pieces[first...] { plain.append((piece, column.name)) }
  }

  private mutating func addPieces(_ column: DictionaryShape.Column) throws {
    let aggregates = compiler.rowAggregates
    if case .keyPath(let keyPath) = column.term, try addReference(keyPath) { return }
    if case .evaluatedObject = column.term, try addReference("self") { return }
    let piece: SQL
    let type: ValueType
    switch try compiler.aggregatingOperand(column.term, in: scope) {
    case .column(_, .entity):
      throw compiler.unsupported("the column “\(column.name)”, whose values are entities")
    case .column(let sql, let valueType): (piece, type) = (sql, valueType)
    case .constant(let value):
      guard let selected = compiler.dialect.selected(value) else {
        throw compiler.unsupported(
          "the column “\(column.name)”, whose constant value is \(value.kindName)"
        )
      }
      (piece, type) = (selected, ValueType(value) ?? .any)
    case .members(let source):
      throw StoreError(
        .invalidRequest,
        "Invalid to-many relationship in setPropertiesToFetch: \(source.path.keyPath) of entity "
          + "\(source.path.start.name) leads through a to-many relationship; use an aggregate, such as @count"
      )
    case .list:
      throw compiler.unsupported(
        "the column “\(column.name)”, which is the list \(column.term.format)"
      )
    }
    let isAggregate = compiler.rowAggregates > aggregates
    compiler.define(column.name, as: piece, type, isAggregate: isAggregate)
    pieces.append(compiler.dialect.column(TypedPiece(piece, type)))
    results.append(DictionaryColumn(kind: try kind(of: column, type)))
  }

  /// Adds the columns that identify the object at a key path: the primary key and, if the table has it, the
  /// entity number.
  ///
  /// The object is the destination of a to-one, or the fetched object itself. If the key path leads to
  /// anything else, returns false and adds nothing.
  private mutating func addReference(_ keyPath: String) throws -> Bool {
    guard case .object(let alias, let column, let entity) = try scope.resolve(keyPath) else {
      return false
    }
    let name = column?.name ?? compiler.columns.key
    let shares = compiler.layout.entities[entity.index].sharesTable
    let entityColumn = column.map(\.entityColumn) ?? (shares ? compiler.columns.entity : nil)
    pieces.append(SQL([.text("\(alias).\(name)")]))
    if let entityColumn {
      let piece = SQL([.text("\(alias).\(entityColumn)")])
      entityPieces.append((SQL.column(name, of: alias), piece))
      pieces.append(piece)
    }
    results.append(
      DictionaryColumn(
        kind: .reference(entity: entity.index, hasEntityColumn: entityColumn != nil)
      )
    )
    return true
  }

  private func kind(
    of column: DictionaryShape.Column,
    _ type: ValueType
  ) throws -> DictionaryColumn.Kind {
    if case .keyPath(let keyPath) = column.term,
      case .attribute(_, let found) = try scope.resolve(keyPath), found.isTagged
    {
      return .tagged
    }
    if let type = column.type, type != .undefined, type != .composite {
      return .value(SlotKind(type))
    }
    switch column.term {
    case .keyPath(let keyPath):
      if case .attribute(_, let found) = try scope.resolve(keyPath) {
        return found.parts.isEmpty ? .value(found.kind) : .composite(found.parts.map(\.element))
      }
    case .function(.aggregate(.count), _): return .value(.integer)
    case .function(.aggregate(let aggregate), let arguments):
      if case .keyPath(let keyPath)? = arguments.first,
        case .attribute(_, let found) = try scope.resolve(keyPath)
      {
        return .value(found.kind.result(of: aggregate))
      }
    default: break
    }
    switch type {
    case .date: return .value(.date)
    case .url: return .value(.url)
    case .uuid: return .value(.uuid)
    default: return .any
    }
  }
}

extension SlotKind {
  fileprivate func result(of aggregate: AggregateFunction) -> SlotKind {
    switch aggregate {
    case .minimum, .maximum: self
    case .count: .integer
    case .sum where self == .integer || self == .boolean: .integer
    case .sum, .average, .median, .mode, .standardDeviation: self == .decimal ? .decimal : .double
    }
  }
}
