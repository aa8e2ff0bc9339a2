// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQLite

extension MigrationForecast {
  /// The names of the columns of `outputRows`.
  package static let columns = ["kind", "what", "rows", "seconds", "details", "examples"]

  /// A row for each step in order, followed by a row for each note; the column `rows` contains the note's
  /// count.
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

  /// Returns a row for each obstacle to an inferred mapping, with the same columns as `outputRows`.
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
      case .invalid: "invalid"
      case .filled: "filled"
      }
    let shown = examples.map { "    \($0)\n" }.joined()
    return "\(label): \(place): \(text)\n\(shown)"
  }
}
