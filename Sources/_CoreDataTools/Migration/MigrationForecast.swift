// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

/// The steps, losses and estimated time of an inferred migration, computed without changing the store.
package struct MigrationForecast {
  /// One step of the migration.
  package struct Step {
    /// The table and the action, such as `ZBOOK: add column ZPAGES`.
    package let text: String
    /// The number of rows that the step reads or writes.
    package let rows: Int
    /// The estimated time.
    package let seconds: Double
  }

  /// Something that the migration would lose, or that prevents it.
  package struct Note {
    package enum Kind: String, Sendable {
      /// Objects, values, links or orders for which the new model has no place.
      case loss
      /// Objects that prevent the migration.
      case refusal
      /// Links of which the migration may lose some; a rehearsal counts them.
      case doubt
    }
    package let kind: Kind
    /// The entity, property or uniqueness constraint: for a refusal by the names of the new model, otherwise
    /// by those of the old model.
    package let place: String
    package let text: String
    /// The number of objects, values or links; 0 for a doubt.
    package let count: Int
    /// Texts for a few objects or values, such as `Book/p1: 12`.
    package let examples: [String]
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

  /// Counts rows and values, and measures the time of copying rows.
  ///
  /// `progress` is called with the number of steps whose rows have been counted so far.
  /// - Throws: `StoreError`.
  /// - Complexity: a few statements for each step, and for each entity, property and uniqueness constraint
  ///   that changes; most of them read a whole table. To measure the time, at most 20,000 rows of each
  ///   affected table are copied into a temporary table.
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
      text: "the entity is abstract in the new model, but the store has "
        + "\(CellText.count(Int(rows), "object")) of it",
      count: Int(rows),
      examples: []
    )
  }

  // MARK: Rows for output

  /// The names of the columns of `outputRows`.
  package static let columns = ["kind", "what", "rows", "seconds", "details", "examples"]

  /// The steps in their order, and then the notes; the number of rows of a note is its count.
  package var outputRows: [[Value]] {
    steps.map { step in
      [
        .text("step"), .text(step.text), .int(Int64(step.rows)),
        .double((step.seconds * 1000).rounded() / 1000), .null, .null,
      ]
    }
      + notes.map { note in
        [
          .text(note.kind.rawValue), .text(note.place), .int(Int64(note.count)), .null,
          .text(note.text), .collection(ValueCollection(.array, note.examples.map(Value.text))),
        ]
      }
  }

  /// Returns the rows of the obstacles to an inferred mapping, in the form of `outputRows`.
  package static func rows(of failure: InferenceFailure) -> [[Value]] {
    failure.obstacles.map { obstacle in
      let place = obstacle.entity + (obstacle.property.map { "." + $0 } ?? "")
      return [.text("obstacle"), .text(place), .null, .null, .text(obstacle.text), .null]
    }
  }
}

extension MigrationForecast.Note {
  /// The note as lines of text for a terminal.
  package var lines: String {
    let label =
      switch kind {
      case .loss: "lost"
      case .refusal: "refused"
      case .doubt: "unclear"
      }
    let shown = examples.map { "    \($0)\n" }.joined()
    return "\(label): \(place): \(text)\n\(shown)"
  }
}
