// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// The column of a property that a batch update sets.
struct AssignedColumn {
  private let property: PropertyDefinition
  private let column: PropertyColumn
  private let selection: RowSelection

  /// Finds the column of a property, and checks that a batch update can set it.
  ///
  /// - Throws: `StoreError.invalidRequest` for a property without its own column, and for a one-to-one
  ///   relationship.
  init(_ slot: Int, selection: RowSelection) throws {
    let entity = selection.entity
    property = entity.properties[slot]
    self.selection = selection
    let layout = selection.compiler.layout
    guard let column = layout.entities[entity.index].column(slot) else {
      throw StoreError(
        .invalidRequest,
        "\(entity.name).\(property.name) cannot be set by a batch update: it is not a stored "
          + "attribute or to-one relationship. Set it on the objects instead, and save the context"
      )
    }
    self.column = column
    if let relationship = property.relationship, let inverse = relationship.inverse,
      layout.model.entities[relationship.destination].properties[inverse].isToOne
    {
      throw StoreError(
        .invalidRequest,
        "\(entity.name).\(property.name) cannot be set by a batch update: its inverse is a to-one "
          + "relationship, which the batch update would not change. Set it on the objects instead, and save "
          + "the context"
      )
    }
  }

  /// A statement that selects the property's values whose data is in external files; nil if the property
  /// does not allow external storage.
  var filesInRows: Statement? {
    guard column.isTagged else { return nil }
    let old = SQL.column(column.name, of: selection.scope.alias)
    return selection.select(old, where: "substr(\(old), 1, 1) = x'02'").statement
  }

  func columns(for assigned: BatchUpdate.Assigned) throws -> [(name: String, piece: SQL)] {
    switch assigned {
    case .value(let value): try property.isToOne ? reference(value) : constants(value)
    case .term(let term): [(column.name, try piece(term))]
    }
  }

  // MARK: Constants

  private func constants(_ value: Value) throws -> [(name: String, piece: SQL)] {
    if column.parts.isEmpty { return [try constant(value)] }
    var values: [Value] = []
    if case .data(let record) = value { values = CompositeRecord.values(record) }
    return column.parts.enumerated().map { index, part in
      let value = index < values.count ? values[index] : .null
      return (part.column.name, SQL(bind: value.plainBinding ?? .null))
    }
  }

  private func constant(_ value: Value) throws -> (name: String, piece: SQL) {
    guard let binding = value.columnBinding(isTagged: column.isTagged) else {
      throw wrongType(value.kindName)
    }
    return (column.name, SQL(bind: binding))
  }

  /// Returns the columns of a to-one with their values: the destination's primary key and, if the table has
  /// columns for them, the destination's entity number and the order position.
  ///
  /// The position becomes NULL in a row whose owner changes.
  private func reference(_ value: Value) throws -> [(name: String, piece: SQL)] {
    let compiler = selection.compiler
    var number = Binding.null
    var entity = Binding.null
    switch value {
    case .null: break
    case .key(let key):
      if let problem = problem(with: key) { throw problem }
      number = .integer(key.number)
      entity = .integer(compiler.layout.entities[key.entity].number)
    default: throw wrongType(value.kindName)
    }
    var columns: [(name: String, piece: SQL)] = [(column.name, SQL(bind: number))]
    if let name = column.entityColumn { columns.append((name, SQL(bind: entity))) }
    if let order = column.orderColumn {
      let alias = selection.scope.alias
      let old = SQL.column(column.name, of: alias)
      let place = SQL.column(order, of: alias)
      columns.append((order, "iif(\(bind: number) IS \(old), \(place), NULL)"))
    }
    return columns
  }

  private func problem(with key: ObjectKey) -> StoreError? {
    let model = selection.compiler.layout.model
    let destination = model.entities[column.destination]
    if key.isTemporary {
      return refusal("to an object with a temporary ID; save the object first")
    }
    if key.store != selection.compiler.storeIndex {
      return refusal(
        "to an object in another store; a relationship can only refer to objects of the same store"
      )
    }
    if destination.family.contains(key.entity) { return nil }
    let found =
      model.entities.indices.contains(key.entity)
      ? "entity \(model.entities[key.entity].name)" : "the entity with index \(key.entity)"
    return refusal(
      "to an object of \(found); the relationship's destination entity is \(destination.name)"
    )
  }

  private func refusal(of kind: String = "", _ value: String) -> StoreError {
    StoreError(
      .invalidRequest,
      "the batch update cannot set \(kind)\(selection.entity.name).\(property.name) \(value)"
    )
  }

  private func wrongType(_ found: String) -> StoreError {
    let wanted = property.attribute.map { "type \($0.type.traits.modelFileName)" } ?? "an object ID"
    return StoreError(
      .invalidRequest,
      "the batch update has a value of the wrong type for \(selection.entity.name).\(property.name); "
        + "required: \(wanted); found: \(found)"
    )
  }

  // MARK: Expressions

  private func piece(_ term: Term) throws -> SQL {
    if !column.parts.isEmpty {
      throw refusal(
        of: "the composite attribute ",
        "to the expression \(term.format); pass a dictionary"
      )
    }
    let operand = try selection.compiler.operand(term, in: selection.scope)
    if column.kind == .reference {
      if case .constant(.null) = operand { return "NULL" }
      throw refusal(
        of: "the relationship ",
        "to the expression \(term.format); pass an object ID or nil"
      )
    }
    switch operand {
    case .constant(let value):
      let (chunk, row) = RowChunk.single(selection.entity.rowLayout)
      guard chunk.setValue(row, column.slot, value) else {
        // A number of the right type may be out of range.
        let number = value.number == nil ? nil : "the number \(CellText.line(value))"
        throw wrongType(number ?? value.kindName)
      }
      return try constant(chunk.value(row, column.slot)).piece
    case .column(let piece, let type):
      if column.isTagged {
        throw refusal(
          of: "the attribute with external storage ",
          "to the expression \(term.format); pass a value"
        )
      }
      guard let fitting = fitting(piece, type) else { throw wrongType(type.kindName) }
      return fitting
    case .list, .members: throw wrongType("a collection")
    }
  }

  private func fitting(_ piece: SQL, _ type: ValueType) -> SQL? {
    switch (column.kind, type) {
    case (_, .sealed) where !column.isTagged: column.kind == .opaque ? piece : nil
    case (_, .sealed), (.reference, _), (.none, _), (.opaque, _): nil
    case (.integer, _) where type.isNumber:
      type == .integer || type == .boolean ? piece : "CAST(\(piece) AS INTEGER)"
    case (.boolean, .boolean): piece
    case (.boolean, _) where type.isNumber: "(\(piece) <> 0)"
    case (.double, _) where type.isNumber, (.decimal, _) where type.isNumber: piece
    // A number is accepted as seconds since 2001, the unit of the column, because arithmetic with a date
    // gives such a number.
    case (.date, .date): piece
    case (.date, _) where type.isNumber: piece
    case (.text, .text), (.url, .url), (.uuid, .uuid): piece
    case (.data, .data) where !column.isTagged: piece
    case (_, .any) where !column.isTagged: piece
    default: nil
    }
  }
}

extension Value {
  /// Returns the value as an attribute's column stores it; nil if a column cannot store the value.
  ///
  /// If `isTagged` is true, data is preceded by a byte that states where the content is stored: 1 for the row
  /// itself.
  func columnBinding(isTagged: Bool) -> Binding? {
    guard isTagged, case .data(let data) = self else { return plainBinding }
    return .blob([1] + data)
  }
}
