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
      .text(kind.rawValue), .text(place), .int(Int64(count)), .null, .text(text),
      .collection(ValueCollection(.array, examples.map(Value.text))),
    ]
  }

  /// The note as lines of text for a terminal.
  package var lines: String {
    let shown = examples.map { "    \($0)\n" }.joined()
    return "\(kind.rawValue): \(place): \(text)\n\(shown)"
  }
}
