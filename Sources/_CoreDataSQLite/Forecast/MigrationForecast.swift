// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The steps, losses and estimated time of a migration, computed without changing the store.
package struct MigrationForecast: Sendable {
  /// One step of the migration.
  package struct Step: Sendable {
    /// The step as text, such as `ZBOOK: add column ZPAGES` or `NoteToBody: Note → Body`.
    package let text: String
    /// The number of rows that the step reads or writes; 0 if they are not counted.
    package let rows: Int
    /// The estimated duration of the step, in seconds.
    package let seconds: Double

    package init(text: String, rows: Int, seconds: Double) {
      self.text = text
      self.rows = rows
      self.seconds = seconds
    }
  }

  /// A loss, possible loss or change that the migration would cause, or a reason why it would fail.
  package struct Note: Sendable {
    /// The kind of a note; the command prints the raw value.
    package enum Kind: String, Sendable {
      /// Objects, values, links or orders for which the new model has no place.
      case loss = "lost"
      /// Objects, or a missing policy class, that prevent the migration.
      case refusal = "refused"
      /// Links or values that the migration may lose.
      case doubt = "unclear"
      /// Objects that have no destination for a mandatory relationship, and cannot be saved after the
      /// migration.
      case invalid
      /// Missing values that become the default value; nothing is lost.
      case filled
      /// The new model is older than the version of the store.
      case older
      /// Something that has no effect on the migration, but may be a mistake.
      case warning
    }
    package let kind: Kind
    /// The name of the entity, property, uniqueness constraint or entity mapping that the note is about.
    ///
    /// A loss or doubt has the names of the old model; other notes have the names of the new model.
    package let place: String
    package let text: String
    /// The number of objects, values or links; 0 if they are not counted.
    package let count: Int
    /// A few of the objects or values as text, such as `Book/p1: 12`.
    package let examples: [String]
    /// A clause that suggests a change to the new model, such as a renaming identifier, or nil.
    package var hint: String?
    /// `0` or `false` if that is the only value that would be lost; otherwise nil.
    package var commonValue: String?

    package init(kind: Kind, place: String, text: String, count: Int, examples: [String]) {
      self.kind = kind
      self.place = place
      self.text = text
      self.count = count
      self.examples = examples
    }

    /// The note without its hint: after the migration, a change to the new model would come too late.
    package var withoutHint: Note {
      var note = self
      note.hint = nil
      return note
    }
  }

  package let steps: [Step]
  package let notes: [Note]

  /// The number of rows that all steps read or write.
  package var rows: Int { steps.reduce(0) { $0 + $1.rows } }
  /// The estimated duration of all steps, in seconds.
  package var seconds: Double { steps.reduce(0) { $0 + $1.seconds } }
  package var losses: [Note] { notes.filter { $0.kind == .loss } }
  package var refusals: [Note] { notes.filter { $0.kind == .refusal } }
  package var doubts: [Note] { notes.filter { $0.kind == .doubt } }
  package var invalids: [Note] { notes.filter { $0.kind == .invalid } }
  package var fillings: [Note] { notes.filter { $0.kind == .filled } }
  /// The note that the new model is older than the version of the store; nil if there is no such note.
  package var older: Note? { notes.first { $0.kind == .older } }
  /// The notes that the user should read before the migration: all except those of the kinds `filled` and
  /// `warning`.
  package var concerns: [Note] { notes.filter { ![.filled, .warning].contains($0.kind) } }

  /// Returns a copy of the forecast, with the notes `more` before its own notes.
  package func adding(_ more: [Note]) -> MigrationForecast {
    MigrationForecast(steps: steps, notes: more + notes)
  }

  package init(steps: [Step], notes: [Note]) {
    self.steps = steps
    self.notes = notes
  }

  /// Forecasts a migration with an inferred mapping.
  ///
  /// The initializer counts rows and values, and measures the sizes of rows. After it has counted the rows of
  /// a step, it calls `progress` with the number of steps so far.
  /// - Throws: `StoreError`.
  /// - Complexity: a few statements for each step, and for each entity, property and uniqueness constraint
  ///   that changes. Most of these statements read a whole table, but not the content of large values.
  ///   `TableSample` describes what is read to estimate the time.
  package init(
    _ mapping: ModelMapping,
    _ file: StoreFile,
    options: SQLiteStoreOptions,
    progress: (Int) -> Void = { _ in }
  ) throws {
    let plan = try StoreMigration(mapping, options: options).plan()
    let times = try StepTimes(file, tables: Set(try file.schema().columns.keys))
    var steps: [Step] = []
    for step in plan.steps where !step.statements.isEmpty {
      let rows = try step.touched.flatMap { try file.integer($0) }.map(Int.init) ?? 0
      let seconds = try times.seconds(for: rows, of: step)
      steps.append(Step(text: step.description, rows: rows, seconds: seconds))
      progress(steps.count)
    }
    self.steps = steps
    var notes = try LossCount(plan, file).notes()
    notes += try plan.abstracted.compactMap { try Self.refusal($0, file) }
    notes += try ConstraintCount(plan, file).notes()
    notes += try MissingCount(plan, file).notes()
    notes += try MissingFileCount(plan, file).notes()
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
      text: "the entity is abstract in the new model, but the store has "
        + "\(CellText.count(Int(rows), "object")) of it",
      count: Int(rows),
      examples: []
    )
  }
}
