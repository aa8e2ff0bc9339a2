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
    /// The number of rows that the step reads or writes; estimated for steps after the first version change.
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
    }
    /// The effect of the issue on the migration.
    public let kind: Kind
    /// The entity, property, constraint or entity mapping, such as `Note.folderName`.
    public let place: String
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
  /// The steps in their order.
  ///
  /// For a chained or staged migration, the first version change is listed in detail. Each later version
  /// change is a single step, because the tables of intermediate versions do not exist yet.
  public let steps: [Step]
  /// The issues of the migration, such as losses and obstacles.
  ///
  /// For a chained or staged migration, only the first version change is examined.
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

  init(_ method: Method, _ forecast: MigrationForecast, followedBy more: [Step] = []) {
    self.method = method
    steps =
      forecast.steps.map {
        Step(summary: $0.text, rowCount: $0.rows, estimatedTime: $0.seconds)
      } + more
    issues = forecast.notes.map { note in
      let kind: Issue.Kind =
        switch note.kind {
        case .loss: .loss
        case .refusal: .obstacle
        case .doubt: .possibleLoss
        case .invalid: .invalidObjects
        case .filled: .defaultValues
        }
      return Issue(
        kind: kind,
        place: note.place,
        reason: note.text,
        count: note.count,
        examples: note.examples
      )
    }
  }
}
