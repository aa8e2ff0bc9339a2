// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

/// The migration of a store in place, which measures the duration of each step.
package struct MigrationRun {
  /// One step that was carried out, or that is forecast.
  package struct Step: Sendable {
    package let text: String
    package let rows: Int
    package let seconds: Double

    package init(text: String, rows: Int, seconds: Double) {
      self.text = text
      self.rows = rows
      self.seconds = seconds
    }

    /// Creates a step that has not been carried out, with the duration that the forecast estimates.
    package init(_ step: MigrationForecast.Step) {
      self.init(text: step.text, rows: step.rows, seconds: step.seconds)
    }
  }

  package struct Outcome: Sendable {
    /// The steps; empty if another process had already migrated the store.
    package let steps: [Step]
    /// The duration of the whole migration in seconds, including the commit.
    package let seconds: Double
    package let wasDone: Bool

    /// Returns a row for each step and each note and, if `backup` is not nil, a row for the backup; the
    /// columns are `MigrationForecast.columns`.
    package func rows(_ forecast: MigrationForecast, backup: String?) -> [[Value]] {
      steps.map { MigrationForecast.row($0.text, $0.rows, $0.seconds) }
        + (wasDone ? [] : forecast.notes.map(\.withoutHint.outputRow))
        + (backup.map { [[.text("backup"), .text($0), .null, .null, .null, .null]] } ?? [])
    }
  }

  private let mapping: ModelMapping
  private let options: SQLiteStoreOptions
  private let forecast: MigrationForecast
  /// The progress of the migration, which can be read from any thread.
  package let progress: MigrationProgress

  /// Creates a migration that has not started.
  ///
  /// `options` must contain the store's path and entities. `forecast` must be a forecast of this migration.
  package init(
    _ mapping: ModelMapping,
    options: SQLiteStoreOptions,
    forecast: MigrationForecast
  ) {
    self.mapping = mapping
    self.options = options
    self.forecast = forecast
    progress = MigrationProgress(forecast)
  }

  /// Migrates the store.
  ///
  /// - Throws: `StoreError`. After an error, the store is unchanged.
  package func run() throws -> Outcome {
    let recorder = StepRecorder(
      try StoreMigration(mapping, options: options).plan(),
      progress
    )
    var options = options
    options.observer = StatementObserver { recorder.started($0) }
    let started = ContinuousClock.now
    let outcome = try StoreMigration(mapping, options: options).run()
    let seconds = (ContinuousClock.now - started) / .seconds(1)
    if case .wasDone = outcome { return Outcome(steps: [], seconds: seconds, wasDone: true) }
    let times = recorder.finish()
    let steps = zip(forecast.steps, times).map { step, seconds in
      Step(text: step.text, rows: step.rows, seconds: seconds)
    }
    return Outcome(steps: steps, seconds: seconds, wasDone: false)
  }
}

/// The progress of a migration, in rows.
package final class MigrationProgress: Sendable {
  private struct State {
    var doneRows = 0
    var step: Int?
    var stepStarted = ContinuousClock.now
  }
  private let steps: [MigrationForecast.Step]
  private let state = Mutex(State())
  /// The number of rows that all steps read or write, according to the forecast.
  package let total: Int

  init(_ forecast: MigrationForecast) {
    steps = forecast.steps
    total = forecast.rows
  }

  func begin(_ step: Int) {
    state.withLock { state in
      finish(&state)
      state.step = step
      state.stepStarted = .now
    }
  }

  private func finish(_ state: inout State) {
    guard let step = state.step, steps.indices.contains(step) else { return }
    state.doneRows += steps[step].rows
    state.step = nil
  }

  /// The number of rows migrated so far; the share of the current step is estimated from the elapsed time.
  package var rows: Int {
    state.withLock { state in
      guard let index = state.step, steps.indices.contains(index) else { return state.doneRows }
      let step = steps[index]
      let passed = (ContinuousClock.now - state.stepStarted) / .seconds(1)
      let part = step.seconds > 0 ? min(0.95, passed / step.seconds) : 0
      return state.doneRows + Int(Double(step.rows) * part)
    }
  }
}

/// Measures the duration of each step of a plan by the times at which the steps' statements start.
private final class StepRecorder: Sendable {
  private struct State {
    /// The index of the next expected statement.
    var next = 0
    var step: Int?
    var started = ContinuousClock.now
    var seconds: [Double]
  }
  private let statements: [(text: String, step: Int)]
  /// The indices of the steps that also execute statements that the plan does not contain.
  ///
  /// An unknown statement ends any other step.
  private let openSteps: Set<Int>
  private let progress: MigrationProgress
  private let state: Mutex<State>

  init(_ plan: MigrationPlan, _ progress: MigrationProgress) {
    let steps = plan.steps.filter { !$0.statements.isEmpty }
    statements = steps.enumerated().flatMap { index, step in
      step.statements.map { ($0.text, index) }
    }
    openSteps = Set(
      steps.indices.filter { if case .takeInFiles = steps[$0].action { true } else { false } }
    )
    self.progress = progress
    state = Mutex(State(seconds: [Double](repeating: 0, count: steps.count)))
  }

  func started(_ text: String) {
    let begun = state.withLock { state -> Int? in
      guard let found = statements[state.next...].firstIndex(where: { $0.text == text }) else {
        if let step = state.step, !openSteps.contains(step) { close(&state) }
        return nil
      }
      state.next = found + 1
      let step = statements[found].step
      if state.step == step { return nil }
      close(&state)
      state.step = step
      state.started = .now
      return step
    }
    if let begun { progress.begin(begun) }
  }

  private func close(_ state: inout State) {
    guard let step = state.step else { return }
    state.seconds[step] += (ContinuousClock.now - state.started) / .seconds(1)
    state.step = nil
  }

  func finish() -> [Double] {
    state.withLock { state in
      close(&state)
      return state.seconds
    }
  }
}
