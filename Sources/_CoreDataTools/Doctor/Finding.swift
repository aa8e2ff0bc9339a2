// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

/// One thing that is wrong in a store.
package struct Finding: Sendable {
  /// What is looked at; the raw values are what the command prints.
  package enum Check: String, Sendable, CaseIterable {
    /// The engine's own check of the file.
    case integrity
    /// Tables and columns of the model that the file lacks.
    case schema
    /// Metadata without which no framework opens the store.
    case metadata
    /// `Z_MAX` below a primary key that is in use, which Apple's framework would give out again, or beyond
    /// all keys.
    case lastKey = "last-key"
    /// Rows with primary keys that no object has.
    case key
    /// Rows without a version, which no save would find again.
    case version
    /// Rows of an entity that the table's hierarchy does not have.
    case entity
    /// A to-one, or a pair, whose object is not there.
    case dangling
    /// A to-one whose companion column names another entity than its object has.
    case companion
    /// A to-one whose inverse to-one does not lead back.
    case inverse
    /// Places of an ordered to-many that are missing or taken twice.
    case order
    /// Objects that share the values of a uniqueness constraint.
    case duplicate
    /// Values and members that are missing although the model asks for them.
    case mandatory
    /// Files of large values that no object names.
    case orphanFile = "orphan-file"
    /// Large values whose file is not there.
    case missingFile = "missing-file"
  }

  package enum Severity: String, Sendable {
    /// Damage.
    case error
    /// Values that a save would refuse.
    case warning
    /// What Apple's framework itself leaves in stores although the model asks for something else; a store
    /// with nothing but hints is sound.
    case hint
  }

  package let check: Check
  package let severity: Severity
  /// An entity, a property, a table or a file.
  package let place: String
  package let message: String
  /// How many rows or files it is about.
  package let count: Int
  /// Some of them, such as `Team/p7`.
  package let examples: [String]
  package let repair: Repair?
  /// What removes a hint; done only for hints that a repair itself brings about.
  let completion: Repair?

  /// What puts it right.
  package struct Repair: Sendable {
    /// What is done, in the imperative.
    package let action: String
    package let changes: [Change]
    /// Files to be moved beside the backup.
    package let files: [String]
    package init(_ action: String, _ changes: [Change] = [], files: [String] = []) {
      self.action = action
      self.changes = changes
      self.files = files
    }
  }

  /// One statement of a repair.
  package struct Change: Sendable {
    package let statement: Statement
    /// Gives `Z_PK` and `Z_ENT` of the objects that it is about to change; nil for bookkeeping.
    package let objects: String?
    /// Which of their properties; nil where rows change that no property shows.
    package let slot: Int?
    /// Whether it does nothing but give objects a new version, because of what changes beside them.
    package let isVersionAlone: Bool
    /// Gives what it is about to take away, a line of text for each row; nil where nothing is lost.
    package let losses: String?
    package init(
      _ statement: Statement,
      objects: String? = nil,
      slot: Int? = nil,
      isVersionAlone: Bool = false,
      losses: String? = nil
    ) {
      self.losses = losses
      self.statement = statement
      self.objects = objects
      self.slot = slot
      self.isVersionAlone = isVersionAlone
    }
  }

  package init(
    _ check: Check,
    _ severity: Severity = .error,
    place: String,
    _ message: String,
    count: Int,
    examples: [String] = [],
    repair: Repair? = nil,
    completion: Repair? = nil
  ) {
    self.completion = completion
    self.check = check
    self.severity = severity
    self.place = place
    self.message = message
    self.count = count
    self.examples = examples
    self.repair = repair
  }

  /// The columns of `row`.
  package static let columns = [
    "check", "severity", "place", "count", "message", "examples", "repair",
  ]

  package var row: [Value] {
    [
      .text(check.rawValue), .text(severity.rawValue), .text(place), .int(Int64(count)),
      .text(message),
      .collection(ValueCollection(.array, examples.map(Value.text))),
      repair.map { .text($0.action) } ?? .null,
    ]
  }

  /// For a person, on several lines.
  package var text: String {
    var lines = ["\(severity.rawValue): \(check.rawValue): \(place): \(message)"]
    if !examples.isEmpty {
      let more = count > examples.count ? " and \(CellText.count(count - examples.count)) more" : ""
      lines.append("    " + examples.joined(separator: ", ") + more)
    }
    if severity != .hint { lines.append("    repair: " + (repair?.action ?? "by hand")) }
    return lines.joined(separator: "\n")
  }
}
