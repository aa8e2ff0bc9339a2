// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite

/// What the migration of a store would do, computed without changing the store.
///
/// Not in Apple's framework. `NSPersistentStoreCoordinator.migrationPlan(forStoreAt:configuration:options:)`
/// returns a plan.
public struct StoreMigrationPlan: Sendable, CustomStringConvertible {
  /// A way to migrate a store.
  public enum Method: Sendable {
    /// A migration in place, with an inferred mapping.
    case inferred
    /// A migration in place, with inferred mappings, through intermediate versions of the model
    /// (`ChainedMigrationOption`).
    case chained
    /// A migration to a new file, with a mapping model that the program provides.
    case mappingModel
    /// A migration in place, through the stages of an `NSStagedMigrationManager`.
    case staged
  }

  /// One step of the migration.
  public struct Step: Sendable, Equatable {
    /// The step as text, such as `ZNOTE: add column ZPINNED` or `NoteToBody: Note → Body`.
    public let summary: String
    /// The version change to which the step belongs, such as `Notes 2 → Notes 3`; nil if the migration has
    /// only one version change.
    public let versionChange: String?
    /// The number of rows that the step reads or writes; 0 if they are not counted.
    public let rowCount: Int
    /// The estimated time in seconds.
    public let estimatedTime: TimeInterval
  }

  /// Something that the migration would lose or may lose, or that prevents the migration.
  public struct Issue: Sendable, Equatable, CustomStringConvertible {
    /// The effect of an issue on the migration.
    public enum Kind: Sendable {
      /// Objects, values or links for which the new model has no place.
      case loss
      /// Something that makes the migration fail, such as objects that violate a new uniqueness constraint.
      case obstacle
      /// Objects, values or links that the migration may lose, depending on other objects or on a policy.
      case possibleLoss
      /// Objects without a value for a mandatory relationship. The migration succeeds, but saving such an
      /// object after a change fails.
      case invalidObjects
      /// Missing values of a mandatory attribute, which the migration replaces with the default value.
      case defaultValues
      /// The coordinator's model is an older version than the store's model. Adding the store nevertheless
      /// migrates the store, as in Apple's framework.
      case olderVersion
      /// Something that has no effect on the migration, but may be a mistake, such as a mapping model that is
      /// not used because an entity differs.
      case warning
    }
    /// The effect of the issue on the migration.
    public let kind: Kind
    /// The name of the entity, property, constraint, entity mapping, version or file that has the issue, such
    /// as `Note.folderName`.
    public let place: String
    /// The version change that has the issue, such as `Notes 2 → Notes 3`; nil if the migration has only one
    /// version change.
    public let versionChange: String?
    /// A clause that explains the issue, without the place.
    public let reason: String
    /// The number of objects, values or links; 0 if they are not counted.
    public let count: Int
    /// A few of the objects or values as text, such as `Note/p1: Work`.
    public let examples: [String]

    /// The place and the reason.
    public var description: String { "\(place): \(reason)" }
  }

  /// The way in which the store would be migrated.
  public let method: Method
  /// The steps in their order, including the handlers of custom stages.
  ///
  /// If an issue prevents a version change, the steps of later version changes are not listed.
  public let steps: [Step]
  /// The issues of the migration, such as losses and obstacles.
  ///
  /// The handlers of custom stages do not run. The issues after a handler are those that the migration would
  /// have if the handler changed nothing.
  public let issues: [Issue]

  /// The issues of the kind `loss`; possible losses are not included.
  public var losses: [Issue] { issues.filter { $0.kind == .loss } }
  /// Whether the migration is possible, that is, whether no issue is of the kind `obstacle`.
  public var isPossible: Bool { issues.allSatisfy { $0.kind != .obstacle } }
  /// The sum of the steps' row counts; a row counts once for each step that reads or writes it.
  public var rowCount: Int { steps.reduce(0) { $0 + $1.rowCount } }
  /// The estimated total time of the steps, in seconds.
  public var estimatedTime: TimeInterval { steps.reduce(0) { $0 + $1.estimatedTime } }

  /// The steps and issues, one per line.
  public var description: String {
    (steps.map { "\($0.summary) (\(CellText.count($0.rowCount, "row")))" }
      + issues.map(\.description))
      .joined(separator: "\n")
  }

  /// The forecast of one version change of a migration.
  struct Change {
    /// The versions, such as `Notes 2 → Notes 3`; nil if the migration has only one version change.
    var versions: String?
    let forecast: MigrationForecast
    /// The handlers that run before and after the steps of the forecast.
    var before: [String] = []
    var after: [String] = []
  }

  init(_ method: Method, _ changes: [Change]) {
    self.method = method
    steps = changes.flatMap { change in
      func step(_ summary: String, _ rows: Int = 0, _ seconds: Double = 0) -> Step {
        Step(
          summary: summary,
          versionChange: change.versions,
          rowCount: rows,
          estimatedTime: seconds
        )
      }
      return change.before.map { step($0) }
        + change.forecast.steps.map { step($0.text, $0.rows, $0.seconds) }
        + change.after.map { step($0) }
    }
    issues = changes.flatMap { change in
      change.forecast.notes.map { Issue($0, versionChange: change.versions) }
    }
  }
}

extension StoreMigrationPlan.Issue {
  fileprivate init(_ note: MigrationForecast.Note, versionChange: String?) {
    self.versionChange = versionChange
    kind =
      switch note.kind {
      case .loss: .loss
      case .refusal: .obstacle
      case .doubt: .possibleLoss
      case .invalid: .invalidObjects
      case .filled: .defaultValues
      case .older: .olderVersion
      case .warning: .warning
      }
    place = note.place
    reason = note.text
    count = note.count
    examples = note.examples
  }
}
