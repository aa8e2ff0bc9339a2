// SPDX-License-Identifier: Apache-2.0

/// The steps of a staged migration from the version of a store to the version of a model.
///
///     let plan = try StagedPlan(from: v1, to: v4, stages: [lightweight, custom])
///     plan.steps  // [.inferred(from: v1, to: v2), .custom(stage: 1, from: v2, to: v3), …]
///
/// A plan is computed from checksums alone, without the models. Whether a mapping can be inferred for a step
/// is therefore not known.
///
/// Source: documented, “NSStagedMigrationManager”. For the order of the steps: docs/reference/migration.md,
/// “Staged migration: results on Apple's system”.
package struct StagedPlan: Sendable, Hashable {
  package enum Step: Sendable, Hashable {
    /// A migration with an inferred mapping.
    case inferred(from: String, to: String)
    /// The migration of the custom stage at the index `stage`, including the handlers of the stage.
    case custom(stage: Int, from: String, to: String)
  }

  /// The steps in order; empty if the store already has the version of the model.
  package let steps: [Step]

  /// Plans the migration of a store from the version `store` to the version `model`.
  ///
  /// A single inferred step leads to the next custom stage or, if no custom stage follows, to `model`. This
  /// step skips the versions of the lightweight stages in between.
  ///
  /// - Throws: `StagingError` if the stages are invalid, if `store` or `model` is in no stage, or if `model`
  ///   comes before `store`.
  package init(from store: String, to model: String, stages: [VersionStage]) throws {
    try Self.check(stages)
    if store == model {
      steps = []
    } else if stages.isEmpty {
      steps = [.inferred(from: store, to: model)]
    } else {
      let range = try Self.range(from: store, to: model, stages)
      steps = Self.steps(from: store, to: model, range, stages)
    }
  }

  /// Checks that every custom stage has two different versions, and that no two stages have a departure or an
  /// arrival in common.
  ///
  /// - Throws: `StagingError` with the code `duplicateVersion`.
  package static func check(_ stages: [VersionStage]) throws {
    for (index, stage) in stages.enumerated() {
      if case .custom(let from, let to) = stage.kind, from == to {
        throw StagingError(
          .duplicateVersion,
          "The custom \(stages.name(of: index)) begins and ends with the version \(from). Pass references to "
            + "two different versions of the model"
        )
      }
    }
    try check(stages, by: \.departures)
    try check(stages, by: \.arrivals)
  }

  private static func check(
    _ stages: [VersionStage],
    by versions: KeyPath<VersionStage, [String]>
  ) throws {
    var first: [String: Int] = [:]
    for (index, stage) in stages.enumerated() {
      for version in Set(stage[keyPath: versions]) {
        if let other = first.updateValue(index, forKey: version) {
          throw StagingError(
            .duplicateVersion,
            "The version \(version) is in \(stages.name(of: other)) and in \(stages.name(of: index)). List "
              + "each version in one stage; only a custom stage may begin with the version with which "
              + "another custom stage ends"
          )
        }
      }
    }
  }

  // MARK: Order

  /// The position of a version: the index of its stage, and its index in that stage.
  ///
  /// The versions of a custom stage have the indices 0 and 1.
  private struct Position: Comparable {
    let stage: Int
    let version: Int

    static func < (one: Self, other: Self) -> Bool {
      (one.stage, one.version) < (other.stage, other.version)
    }
  }

  private static func range(
    from store: String,
    to model: String,
    _ stages: [VersionStage]
  ) throws -> ClosedRange<Position> {
    guard let start = departure(of: store, stages) ?? arrival(of: store, stages) else {
      throw unknown(
        "The store was created with the version \(store), which is in no stage",
        "Add this version to the stages. If a released version was edited, undo the changes",
        stages
      )
    }
    guard let end = arrival(of: model, stages) ?? departure(of: model, stages) else {
      throw unknown(
        "The coordinator's model has the version \(model), which is in no stage",
        "Add this version to the last stage, or append a stage that ends with it",
        stages
      )
    }
    if end < start {
      throw StagingError(
        .backward,
        "The store has the version \(store), which comes after the version \(model) of the coordinator's "
          + "model. The stages are: \(stages.list). List the stages from the oldest version to the newest, "
          + "or open the store with the newer model"
      )
    }
    return start...end
  }

  private static func departure(of version: String, _ stages: [VersionStage]) -> Position? {
    for (index, stage) in stages.enumerated() {
      if let place = stage.departures.firstIndex(of: version) {
        return Position(stage: index, version: place)
      }
    }
    return nil
  }

  private static func arrival(of version: String, _ stages: [VersionStage]) -> Position? {
    for (index, stage) in stages.enumerated() {
      guard let place = stage.arrivals.firstIndex(of: version) else { continue }
      if case .custom = stage.kind { return Position(stage: index, version: 1) }
      return Position(stage: index, version: place)
    }
    return nil
  }

  private static func unknown(
    _ what: String,
    _ remedy: String,
    _ stages: [VersionStage]
  ) -> StagingError {
    StagingError(.unknownVersion, "\(what). The stages are: \(stages.list). \(remedy)")
  }

  // MARK: Steps

  private static func steps(
    from store: String,
    to model: String,
    _ range: ClosedRange<Position>,
    _ stages: [VersionStage]
  ) -> [Step] {
    var steps: [Step] = []
    var version = store
    for (index, stage) in stages.enumerated() where version != model {
      guard case .custom(let from, let to) = stage.kind,
        Position(stage: index, version: 0) >= range.lowerBound, index <= last(range, stages)
      else { continue }
      if version != from { steps.append(.inferred(from: version, to: from)) }
      version = from
      if version == model { break }
      steps.append(.custom(stage: index, from: from, to: to))
      version = to
    }
    if version != model { steps.append(.inferred(from: version, to: model)) }
    return steps
  }

  /// Returns the index of the last stage that the migration may reach.
  ///
  /// If the versions of the store and the model are in the same stage, the migration may reach all later
  /// stages, as in Apple's framework.
  private static func last(_ range: ClosedRange<Position>, _ stages: [VersionStage]) -> Int {
    range.lowerBound.stage == range.upperBound.stage
      ? stages.index(before: stages.endIndex) : range.upperBound.stage
  }
}
