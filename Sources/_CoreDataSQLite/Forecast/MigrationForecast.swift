// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// What a migration of a store would do, computed without changing the store.
package struct MigrationForecast: Sendable {
  /// One step of the migration.
  package struct Step: Sendable {
    /// The table and the action, such as `ZBOOK: add column ZPAGES`.
    package let text: String
    /// The number of rows that the step reads or writes.
    package let rows: Int
    /// The estimated time.
    package let seconds: Double

    package init(text: String, rows: Int, seconds: Double) {
      self.text = text
      self.rows = rows
      self.seconds = seconds
    }
  }

  /// Something that the migration would lose, or that prevents it.
  package struct Note: Sendable {
    package enum Kind: String, Sendable {
      /// Objects, values or links that the new model has no place for.
      case loss
      /// Rows because of which the store cannot be migrated.
      case refusal
      /// Links of which the migration may lose some; a rehearsal counts them.
      case doubt
    }
    package let kind: Kind
    /// The entity or property, by its name in the source; for a uniqueness constraint in the destination.
    package let place: String
    package let text: String
    /// The number of objects, values or links; 0 for a doubt.
    package let count: Int
    /// Texts for a few of them, such as `Book/p1: 12`.
    package let examples: [String]

    package init(kind: Kind, place: String, text: String, count: Int, examples: [String]) {
      self.kind = kind
      self.place = place
      self.text = text
      self.count = count
      self.examples = examples
    }
  }

  package let steps: [Step]
  package let notes: [Note]

  /// The number of rows that all steps read or write.
  package var rows: Int { steps.reduce(0) { $0 + $1.rows } }
  /// The estimated time of all steps.
  package var seconds: Double { steps.reduce(0) { $0 + $1.seconds } }
  package var losses: [Note] { notes.filter { $0.kind == .loss } }
  package var refusals: [Note] { notes.filter { $0.kind == .refusal } }
  package var doubts: [Note] { notes.filter { $0.kind == .doubt } }

  package init(steps: [Step], notes: [Note]) {
    self.steps = steps
    self.notes = notes
  }

  /// Forecasts a migration in place with an inferred mapping: counts rows and values, and measures the time of copying rows.
  ///
  /// `progress` is called with the number of steps and notes that are counted so far.
  /// - Throws: `StoreError`.
  /// - Complexity: one statement for each step that touches rows, and for each entity and property that the
  ///   destination lacks; most of them read a whole table. At most 20,000 rows of each table that is copied
  ///   are copied, into a temporary table.
  package init(
    _ mapping: ModelMapping,
    _ file: StoreFile,
    options: SQLiteStoreOptions,
    progress: (Int) -> Void = { _ in }
  ) throws {
    let plan = try StoreMigration(mapping, options: options).plan()
    let rate = CopyRate(file, tables: Set(try file.schema().columns.keys))
    var steps: [Step] = []
    for step in plan.steps where !step.statements.isEmpty {
      let rows = try step.touched.flatMap { try file.integer($0) }.map(Int.init) ?? 0
      let seconds = try rate.seconds(for: rows, of: step)
      steps.append(Step(text: step.description, rows: rows, seconds: seconds))
      progress(steps.count)
    }
    self.steps = steps
    var notes = try LossCount(plan, file).notes()
    notes += try plan.abstracted.compactMap { try Self.refusal($0, file) }
    notes += try ConstraintCount(plan, file).notes()
    self.notes = notes
  }

  private static func refusal(
    _ abstracted: (entity: String, count: Statement),
    _ file: StoreFile
  ) throws -> Note? {
    guard let rows = try file.integer(abstracted.count), rows > 0 else { return nil }
    return Note(
      kind: .refusal,
      place: abstracted.entity,
      text: "the entity is abstract in the new model, so its objects have no place",
      count: Int(rows),
      examples: []
    )
  }
}
