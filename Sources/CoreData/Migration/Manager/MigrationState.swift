// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

final class MigrationState {
  private(set) var instances = MappedInstances()
  /// The mapping model of the running or the last migration; empty before the first migration.
  var mappingModel = NSMappingModel()
  /// The plans of the running migration; nil if no migration is running.
  var plans: MappingPlans?
  private(set) var currentMapping = NSEntityMapping()
  /// The plan of `currentMapping`; nil if no migration is running.
  private(set) var currentPlan: MappingPlan?
  private(set) var progress: Float = 0
  /// The object whose relationships are being set, with its first source.
  struct RelatedPair {
    let destination: NSManagedObject
    let source: NSManagedObject?
    let mapping: NSEntityMapping
    /// Whether the default policy sets no relationships, because all to-manys of both objects are empty.
    let isUnrelated: Bool
  }
  /// The pair whose relationships are being set; nil if there is none, or if the manager is an instance of a
  /// subclass, which can have other associations.
  var relatedPair: RelatedPair?
  /// The first value of the source store that could not be decoded; nil if no value failed to decode.
  var undecoded: UndecodedValue?
  /// Called for each mapping at the end of a migration, with its name and its pairs; nil if no tool needs
  /// them.
  var record: ((String, KeyPairs) -> Void)?
  let observers = MigrationObservers()

  // Unchecked: the error is only thrown by the thread of the migration, and never changed.
  private struct Cancellation: @unchecked Sendable { var error: (any Error)? }
  private let cancellation = Mutex(Cancellation())

  /// Forgets the cancellation of an earlier migration, before the plans of a new one are prepared.
  func forgetCancellation() { cancellation.withLock { $0.error = nil } }

  func begin(_ mappingModel: NSMappingModel, _ plans: MappingPlans) {
    self.mappingModel = mappingModel
    self.plans = plans
  }

  /// Ends the migration; keeps the mapping model.
  func end() {
    plans = nil
    undecoded = nil
    setProgress(0)
    currentPlan = nil
    setCurrentMapping(NSEntityMapping())
  }

  func reset() { instances = MappedInstances() }

  // MARK: Reports

  func setProgress(_ value: Float) {
    if value == progress { return }
    observers.change(.progress) { progress = value }
  }

  func setCurrentPlan(_ plan: MappingPlan) {
    currentPlan = plan
    setCurrentMapping(plan.mapping)
  }

  private func setCurrentMapping(_ mapping: NSEntityMapping) {
    observers.change(.currentMapping) { currentMapping = mapping }
  }

  // MARK: Cancelling

  func cancel(with error: any Error) {
    cancellation.withLock { $0.error = $0.error ?? error }
  }

  /// - Throws: the error that was passed to `cancel(with:)`; `NSMigrationCancelledError` for a
  ///   `CancellationError`.
  func checkCancellation() throws {
    guard let error = cancellation.withLock({ $0.error }) else { return }
    throw error is CancellationError ? MigrationErrors.cancelled(error) : error
  }
}
