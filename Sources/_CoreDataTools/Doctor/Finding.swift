// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

/// One problem that the doctor found in a store.
package struct Finding: Sendable {
  /// The kind of check; the command prints the raw values.
  package enum Check: String, Sendable, CaseIterable {
    /// SQLite's integrity check of the file.
    case integrity
    /// Tables and columns of the model that are missing from the file.
    case schema
    /// Missing or damaged metadata, which prevents the store from being opened.
    case metadata
    /// A `Z_MAX` that is missing, invalid, or less than a primary key in use; Apple's framework would
    /// eventually assign that key again.
    case lastKey = "last-key"
    /// Rows with a primary key that is out of range.
    case key
    /// Rows without an integer version; a save cannot check them for conflicts.
    case version
    /// Rows whose entity number is missing, or is not the number of an entity of the table.
    case entity
    /// A reference to an object that does not exist or has the wrong entity: in a to-one, in a row of a join
    /// table, or from a member of a to-many without an inverse.
    case dangling
    /// A to-one whose entity column differs from the entity of its destination.
    case companion
    /// A to-one whose destination does not refer back, although the inverse is a to-one too.
    case inverse
    /// Missing or equal order values in an ordered to-many.
    case order
    /// Objects that violate a uniqueness constraint.
    case duplicate
    /// Missing values of mandatory properties, and to-manys with too few or too many members.
    case mandatory
    /// External-storage files that no object refers to.
    case orphanFile = "orphan-file"
    /// Values whose external-storage file is missing.
    case missingFile = "missing-file"
  }

  package enum Severity: String, Sendable {
    /// The store is damaged.
    case error
    /// A save would reject the values, or files of external storage are unused.
    case warning
    /// The values do not match the model, but Apple's framework writes such values itself.
    ///
    /// A store with only hints is sound.
    case hint
  }

  package let check: Check
  package let severity: Severity
  /// The place of the problem: the name of an entity, property, table or file, or the path of the
  /// external-storage folder.
  package let location: String
  package let message: String
  /// The number of occurrences, such as rows, groups of equal objects, or files.
  ///
  /// If `check` is `.integrity`, this is the number of messages from SQLite, at most 20.
  package let count: Int
  /// The names of some of the occurrences, such as `Team/p7`.
  package let examples: [String]
  /// The repair that the tool can make; nil for a hint, and for a problem that must be repaired by hand.
  package let repair: Repair?
  /// Advice for repairing the problem by hand, in the imperative; it is shown only if `repair` is nil.
  let advice: String?
  /// The repair for a hint that was caused by another repair; nil if hints of this kind are not repaired.
  let completion: Repair?

  /// A repair that the tool can make: statements to execute, and files to move.
  package struct Repair: Sendable {
    /// What the repair does, in the imperative.
    package let action: String
    package let changes: [Change]
    /// The names of the files that the repair moves to a folder beside the backup.
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
    /// A query that returns `Z_PK` and `Z_ENT` of the changed objects; nil if the history does not record the
    /// change.
    package let objects: String?
    /// The slot of the property that the history records as changed; nil if the history records no property.
    package let slot: Int?
    /// Whether the statement only increases versions, because of a change in another table.
    package let changesOnlyVersion: Bool
    /// A query that returns the values that the statement removes, one line of text per row; nil if it
    /// removes no values.
    package let losses: String?
    package init(
      _ statement: Statement,
      objects: String? = nil,
      slot: Int? = nil,
      changesOnlyVersion: Bool = false,
      losses: String? = nil
    ) {
      self.losses = losses
      self.statement = statement
      self.objects = objects
      self.slot = slot
      self.changesOnlyVersion = changesOnlyVersion
    }
  }

  package init(
    _ check: Check,
    _ severity: Severity = .error,
    location: String,
    _ message: String,
    count: Int,
    examples: [String] = [],
    repair: Repair? = nil,
    advice: String? = nil,
    completion: Repair? = nil
  ) {
    self.advice = advice
    self.completion = completion
    self.check = check
    self.severity = severity
    self.location = location
    self.message = message
    self.count = count
    self.examples = examples
    self.repair = repair
  }

  /// The names of the columns of `row`.
  package static let columns = [
    "check", "severity", "place", "count", "message", "examples", "repair",
  ]

  /// The values of the finding for `columns`; the value for the repair is null if `repair` is nil.
  package var row: [Value] {
    [
      .text(check.rawValue), .text(severity.rawValue), .text(location), .int(Int64(count)),
      .text(message),
      .collection(ValueCollection(.array, examples.map(Value.text))),
      repair.map { .text($0.action) } ?? .null,
    ]
  }

  /// The finding as lines of text for a terminal: the problem, the examples and, except for a hint, the
  /// repair.
  ///
  /// There is no line feed at the end.
  package var text: String {
    var lines = ["\(severity.rawValue): \(check.rawValue): \(location): \(message)"]
    if !examples.isEmpty {
      let rest = count - examples.count
      let more = rest > 0 ? " and \(CellText.count(rest, "more \(noun)"))" : ""
      lines.append("    " + examples.joined(separator: ", ") + more)
    }
    if severity != .hint {
      let manual = advice.map { "by hand: \($0)" } ?? "by hand"
      lines.append("    repair: " + (repair?.action ?? manual))
    }
    return lines.joined(separator: "\n")
  }

  private var noun: String {
    switch check {
    case .integrity: "problem"
    case .order: "object"
    case .duplicate: "group"
    case .missingFile: "value"
    case .orphanFile: "file"
    default: "row"
    }
  }
}
