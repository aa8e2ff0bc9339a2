// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// One step of an inferred migration: an action on a table, and its statements.
package struct MigrationStep: Sendable {
  package enum Action: Sendable, Hashable {
    case createTable
    case copyRows(from: String)
    case renameTable(to: String)
    case dropTable
    case addColumn(String)
    case renameColumn(String, to: String)
    case dropColumn(String)
    /// Renames a column or table that is to be dropped later.
    case deferColumn(String, as: String)
    case deferTable(as: String)
    /// Deletes rows of entities that were removed or that have another table in the new layout.
    case deleteRows
    /// Updates existing rows, for example with default values, entity numbers or positions.
    case changeRows
    /// Copies the contents of external files into the rows that refer to them.
    case takeInFiles(column: String)
    /// Reads or writes links that have another form in the new file.
    case moveLinks
    /// Clears links to deleted rows, and one-to-one links that the inverse does not have.
    case clearLinks
    case createIndex(String)
    case dropIndex(String)
    case createTrigger
    case dropTrigger(String)
    case computeDerived(String)
    /// Replaces the rows of `Z_PRIMARYKEY`.
    case numberEntities
  }

  package let action: Action
  package let table: String
  package let statements: [Statement]
  /// A statement that counts, in the old file, the rows that the step reads or writes; nil if they are not
  /// counted.
  package var touched: Statement?
  /// A statement that counts, in the old file, the rows, values or links that the step loses; nil if they are
  /// not counted.
  package var lost: Statement?
  /// A description of the uniqueness constraint that the step enforces, such as `Book: isbn`; nil if the step
  /// enforces none.
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

  func touching(_ count: String) -> MigrationStep {
    var step = self
    step.touched = Statement(text: count)
    return step
  }

  /// Whether the step leaves a table or column in the file, to be dropped later.
  var isDeferral: Bool {
    switch action {
    case .deferColumn, .deferTable: true
    default: false
    }
  }

  func losing(_ count: String) -> MigrationStep {
    var step = self
    step.lost = Statement(text: count)
    return step
  }
}

/// The inferred migration of a file: its steps in order, and the layouts before and after it.
package struct MigrationPlan: Sendable {
  package let mapping: ModelMapping
  /// The layout of the file before the migration.
  package let source: Layout
  /// The layout of the file after the migration, which is the layout of a new file.
  package let destination: Layout
  /// The entities that become abstract, with statements that count their rows.
  ///
  /// A file that has such rows cannot be migrated, because an abstract entity cannot have objects.
  package let abstracted: [(entity: String, count: Statement)]
  /// Statements that select references to the external files that the migration removes.
  ///
  /// The migration either drops such a reference, or replaces it with the content of the file.
  package let obsoleteFiles: [Statement]
  /// The columns that no model describes, in tables that the migration drops.
  package let lostColumns: [(table: String, column: String)]
  package let steps: [MigrationStep]
  /// Whether leftovers are in the file after the migration.
  package let leavesSomething: Bool
}

/// The tables, indexes, triggers and last primary keys in a file.
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
  /// Table → its `CREATE TABLE` statement.
  package var definitions: [String: String]
  /// Entity number → the last primary key that was assigned in the entity's hierarchy.
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
  /// A text for logs and reports, such as `ZBOOK: add column ZPAGES`.
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
    case .deferColumn(let name, let later): "rename column \(name) to \(later), to drop it later"
    case .deferTable(let later): "rename the table to \(later), to drop it later"
    case .deleteRows: "delete rows"
    case .changeRows: "change rows"
    case .takeInFiles(let name): "copy external files into column \(name)"
    case .moveLinks: "move links"
    case .clearLinks: "clear links without a destination or a matching inverse"
    case .createIndex(let name): "create index \(name)"
    case .dropIndex(let name): "drop index \(name)"
    case .createTrigger: "create a trigger for a derived attribute"
    case .dropTrigger(let name): "drop trigger \(name)"
    case .computeDerived(let name): "compute \(name)"
    case .numberEntities: "number the entities"
    }
  }
}
