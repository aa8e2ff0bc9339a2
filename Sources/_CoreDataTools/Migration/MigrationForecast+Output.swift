// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQLite

extension MigrationForecast {
  /// The column names of the rows that are printed for programs.
  ///
  /// The rows of a plan and of a migration have these columns; the rows of a rehearsal have further columns
  /// after these.
  package static let columns = ["kind", "what", "rows", "seconds", "details", "examples"]

  /// A row for each step in order, followed by a row for each note; the column `rows` contains the note's
  /// count.
  package var outputRows: [[Value]] {
    steps.map { Self.row($0.text, $0.rows, $0.seconds) } + notes.map(\.outputRow)
  }

  static func row(_ step: String, _ rows: Int, _ seconds: Double) -> [Value] {
    [
      .text("step"), .text(step), .int(Int64(rows)), .double((seconds * 1000).rounded() / 1000),
      .null, .null,
    ]
  }

  /// Returns a row for each obstacle to an inferred mapping, with the same columns as `outputRows`.
  package static func rows(of failure: InferenceFailure) -> [[Value]] {
    failure.obstacles.map { obstacle in
      let place = obstacle.entity + (obstacle.property.map { "." + $0 } ?? "")
      return [.text("obstacle"), .text(place), .null, .null, .text(obstacle.text), .null]
    }
  }
}

extension MigrationForecast.Note {
  /// The note as a row with the columns `MigrationForecast.columns`.
  var outputRow: [Value] {
    [
      .text(kind.rawValue), .text(place), .int(Int64(count)), .null, .text(fullText),
      .collection(ValueCollection(.array, examples.map(Value.text))),
    ]
  }

  private var fullText: String { text + (hint.map { "; \($0)" } ?? "") }

  /// The note as lines of text for a terminal.
  package var lines: String {
    let shown = examples.map { "    \($0)\n" }.joined()
    return "\(kind.rawValue): \(place): \(fullText)\n\(shown)"
  }

  /// Returns notes as lines of text for a terminal.
  ///
  /// If two or more lost attributes of an entity are 0 or false in all objects, they share one line after all
  /// other notes.
  package static func lines(of notes: [Self]) -> String {
    let plain = notes.filter { $0.commonValue != nil }
    let groups = Dictionary(grouping: plain, by: \.owner).filter { $0.value.count > 1 }
    let others = notes.filter { $0.commonValue == nil || groups[$0.owner] == nil }
    let folded = groups.sorted { utf8Less($0.key, $1.key) }.map { owner, notes in
      let names = notes.map { $0.place.dropFirst(owner.count + 1) }.joined(separator: ", ")
      return "\(notes[0].kind.rawValue): \(owner): the new model lacks "
        + "\(CellText.count(notes.count, "attribute")) that are 0 or false in all objects: \(names)\n"
    }
    return (others.map(\.lines) + folded).joined()
  }

  /// The name of the entity to whose property the note refers.
  private var owner: String { String(place.prefix { $0 != "." }) }
}
