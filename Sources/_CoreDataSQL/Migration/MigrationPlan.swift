// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// One step of a migration in place: what it does to which table, and its statements.
package struct MigrationStep: Sendable {
  package enum Action: Sendable, Hashable {
    case createTable
    case copyRows(from: String)
    case renameTable(to: String)
    case dropTable
    case addColumn(String)
    case renameColumn(String, to: String)
    case dropColumn(String)
    /// Rows of entities that have gone or that another table has now.
    case deleteRows
    /// Values of existing rows: defaults, entity numbers, order.
    case changeRows
    /// Files of large values become values in their rows.
    case takeInFiles(column: String)
    /// Links that another form keeps from now on, read and written.
    case moveLinks
    /// Links to rows that have gone.
    case clearLinks
    case createIndex(String)
    case dropIndex(String)
    case createTrigger
    case dropTrigger(String)
    case computeDerived(String)
    /// The rows of `Z_PRIMARYKEY`.
    case numberEntities
  }

  package let action: Action
  package let table: String
  package let statements: [Statement]
  /// Counts the rows that are read or written, in the file as it was; nil for a step that touches none.
  package var touched: Statement?
  /// Counts the values or rows that are lost, in the file as it was; nil for a step that loses nothing.
  package var lost: Statement?
  /// The entity and names of the uniqueness constraint that the step enforces.
  package var constraint: String?

  init(_ action: Action, _ table: String, _ texts: [String] = []) {
    self.action = action
    self.table = table
    statements = texts.map { Statement(text: $0) }
  }

  init(_ action: Action, _ table: String, statements: [Statement]) {
    self.action = action
    self.table = table
    self.statements = statements
  }

  /// The step with the statement that counts its rows.
  func touching(_ count: String) -> MigrationStep {
    var step = self
    step.touched = Statement(text: count)
    return step
  }

  /// The step with the statement that counts what is lost.
  func losing(_ count: String) -> MigrationStep {
    var step = self
    step.lost = Statement(text: count)
    return step
  }
}

/// How a store's file becomes one of another model: the steps in their order, as values.
package struct MigrationPlan: Sendable {
  package let mapping: ModelMapping
  /// Where rows are in the file as it is.
  package let source: Layout
  /// Where rows are afterwards: as in a new file.
  package let destination: Layout
  /// Entities that are abstract from now on; a row of one cannot be kept.
  ///
  /// By name, with the statement that counts the rows.
  package let abstracted: [(entity: String, count: Statement)]
  /// Columns whose values name files that are not needed any more: statements that read them.
  package let obsoleteFiles: [Statement]
  package let steps: [MigrationStep]
}

/// What a migration has to know of a file: tables, indexes, triggers and last keys.
package struct StoredObjects: Sendable {
  /// An index or a trigger.
  package struct Object: Sendable, Hashable {
    package let name: String
    package let table: String
    package let definition: String
    package init(name: String, table: String, definition: String) {
      self.name = name
      self.table = table
      self.definition = definition
    }
  }
  package var schema: StoredSchema
  package var indexes: [Object]
  package var triggers: [Object]
  /// Table → the statement that made it.
  package var definitions: [String: String]
  /// Entity number → the last key given to its hierarchy.
  package var lastKeys: [Int64: Int64]

  package init(
    schema: StoredSchema,
    indexes: [Object],
    triggers: [Object],
    definitions: [String: String],
    lastKeys: [Int64: Int64]
  ) {
    self.schema = schema
    self.indexes = indexes
    self.triggers = triggers
    self.definitions = definitions
    self.lastKeys = lastKeys
  }

  func has(_ table: String) -> Bool { schema.columns[table] != nil }
}

extension MigrationStep: CustomStringConvertible {
  /// What the step does, for people: `ZBOOK: add column ZPAGES`.
  package var description: String { table.isEmpty ? text : "\(table): \(text)" }

  private var text: String {
    switch action {
    case .createTable: "create the table"
    case .copyRows(let source): "copy rows from \(source)"
    case .renameTable(let name): "rename the table to \(name)"
    case .dropTable: "drop the table"
    case .addColumn(let name): "add column \(name)"
    case .renameColumn(let name, let new): "rename column \(name) to \(new)"
    case .dropColumn(let name): "drop column \(name)"
    case .deleteRows: "delete rows"
    case .changeRows: "change rows"
    case .takeInFiles(let name): "take files of large values into column \(name)"
    case .moveLinks: "move links"
    case .clearLinks: "clear links to rows that have gone"
    case .createIndex(let name): "create index \(name)"
    case .dropIndex(let name): "drop index \(name)"
    case .createTrigger: "create a trigger of a derived attribute"
    case .dropTrigger(let name): "drop trigger \(name)"
    case .computeDerived(let name): "compute \(name)"
    case .numberEntities: "number the entities"
    }
  }
}
