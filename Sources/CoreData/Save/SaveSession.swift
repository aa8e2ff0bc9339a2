// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// One save of a context, from `willSave` to the notifications.
///
/// - Throws: `NSManagedObjectExternalRelationshipError` for a relationship to an object in another store;
///   `NSPersistentStoreOperationError` for an object without a writable store; `NSManagedObjectMergeError`
///   and `NSManagedObjectConstraintMergeError` for conflicts that the merge policy does not resolve; errors
///   of a custom merge policy; validation errors, including those of objects that the merge policy changed;
///   `NSPersistentStoreIncompleteSaveError` if a commit failed after another store's commit; a store's
///   errors. After any error except `NSPersistentStoreIncompleteSaveError`, the graph has the state that it
///   had before the write.
struct SaveSession {
  typealias Step = @Sendable (inout SaveSession) throws -> Void

  static let steps: [Step] = [
    { $0.postWillSave() }, { try $0.callWillSave() }, { try $0.validate() }, { try $0.write() },
    { $0.callDidSave() }, { $0.postDidSave() }, { $0.scheduleMergesElsewhere() },
  ]

  private static let willSaveLimit = 1000

  let context: NSManagedObjectContext
  /// Whether the save has anything to write or to check for conflicts.
  ///
  /// Determined after the `willSave` calls, which can change objects.
  private var hasWork = false
  /// The saved objects; empty before the write.
  var saved = SavedObjects()
  /// The position in the stores' histories after the save; nil if no store has a history.
  private(set) var historyToken: NSPersistentHistoryToken?

  init(of context: NSManagedObjectContext) { self.context = context }

  mutating func run() throws {
    for step in Self.steps { try step(&self) }
  }

  var graph: ObjectGraph { context.graph }

  // MARK: Before the write

  private func postWillSave() {
    NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: context)
  }

  /// Propagates deletions and calls `willSave` of all unsaved objects, in rounds, until a round changes no
  /// object.
  ///
  /// Stops the program if `willSaveLimit` rounds do not suffice.
  /// - Throws: a store's error if delete rules could not be applied because rows cannot be read.
  private mutating func callWillSave() throws {
    for round in 0... {
      if round == Self.willSaveLimit { Misuse.willSaveKeepsChanging() }
      context.endChangeEvent()
      if !context.propagatesDeletesAtEndOfEvent {
        let summary = graph.processPendingChanges()
        context.registerUndoStep()
        context.report(summary)
      }
      try requirePropagatedDeletions()
      for object in graph.inserted { NSManagedObjectContext.managed(object).willSave() }
      for object in graph.updated { NSManagedObjectContext.managed(object).willSave() }
      for object in graph.deleted { NSManagedObjectContext.managed(object).willSave() }
      if !graph.hasPendingEvent { break }
    }
    hasWork = graph.hasWork
  }

  private func requirePropagatedDeletions() throws {
    if let failure = graph.deletionFailure { throw cocoaError(failure) }
  }

  private func validate() throws {
    if hasWork { try context.validateChanges() }
  }

  // MARK: The write

  private mutating func write() throws {
    if context.parentSource == nil { try writeMetadataOfProgram() }
    if !hasWork { return }
    if let source = context.parentSource {
      pushChanges(to: source)
    } else {
      try writeToStores()
    }
  }

  /// Asks each custom store to save changed metadata, in a separate request.
  ///
  /// Source: documented, “NSSaveChangesRequest”.
  private func writeMetadataOfProgram() throws {
    do {
      try context.coordinator?.saveMetadataOfProgram()
    } catch {
      throw cocoaError(error)
    }
  }

  /// Attempts to write until there is no conflict, and applies the write to the graph; throws an error if
  /// `ResolutionLimit` does not admit another call of the merge policy.
  ///
  /// Changes that were made to resolve conflicts are kept if any store has committed, and reverted otherwise.
  private mutating func writeToStores() throws {
    var attempt = try SaveAttempt(of: context, foldsInserts: true)
    var limit = ResolutionLimit()
    do {
      while let conflict = try attempt.write(pausing: limit.pause) {
        graph.beginMerge()
        if !limit.admits(conflict, in: context) { throw limit.conflictsAgain(conflict) }
        // The merge policy needs the current rows, with which the save conflicts, even if the context is
        // pinned to a query generation.
        try context.readingNewest { try resolve(conflict) }
        attempt = try SaveAttempt(of: context, foldsInserts: false)
      }
    } catch let failure as StoreWriter.Failure {
      attempt.commit(only: Set(failure.committed))
      graph.endMerge()
      throw attempt.incompleteSave(failure)
    } catch {
      graph.revertMerge()
      throw error is StoreError ? cocoaError(error) : error
    }
    attempt.commit()
    saved = attempt.saved
    historyToken = attempt.historyToken
    graph.endMerge()
    context.advanceGeneration()
    if limit.resolutions > 0 {
      // The changes made to resolve conflicts are reported before the save.
      graph.dropUndoStep()
      context.endChangeEvent()
    }
  }

  /// Resolves the conflict with the merge policy, and prepares the graph for the next attempt.
  private func resolve(_ conflict: SaveConflict) throws {
    guard let policy = context.mergePolicy as? NSMergePolicy else { throw conflict.error }
    try graph.merging.readNewest(around: conflict.versions.map { ($0.sourceObject, $0.newerRow) })
    try policy.resolve(mergeConflicts: conflict.list)
    graph.propagateDeletions()
    try requirePropagatedDeletions()
    graph.cutUnsavedLinksToDeleted()
    try graph.merging.pairPartners(by: policy.mergeType.rule ?? .objectTrump)
    try context.validateChanges()
  }

  // MARK: After the write

  private func callDidSave() {
    if !hasWork { return }
    context.reportHasChanges()
    for object in saved.inserted { object.didSave() }
    for object in saved.updated { object.didSave() }
    for object in saved.deleted { object.didSave() }
  }

  private func postDidSave() {
    if !saved.inserted.isEmpty { context.reporter.reportSave() }
    ContextNotification.didSave.post(context) {
      var info = sharedInfo
      info.add(NSInsertedObjectsKey, saved.inserted)
      info.add(NSUpdatedObjectsKey, saved.updated)
      info.add(NSDeletedObjectsKey, saved.deleted)
      return info
    }
    ContextNotification.didSaveObjectIDs.post(context) {
      var info = sharedInfo
      for (key, objects) in [
        (NSInsertedObjectIDsKey, saved.inserted), (NSUpdatedObjectIDsKey, saved.updated),
        (NSDeletedObjectIDsKey, saved.deleted),
      ] where !objects.isEmpty {
        info[key] = Set(objects.map { context.id(of: $0) })
      }
      return info
    }
  }

  /// The `userInfo` entries that both notifications of a completed save contain.
  private var sharedInfo: [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [:]
    info[NSManagedObjectContextQueryGenerationKey] = context.newGenerationToken
    info[NSPersistentHistoryTokenKey] = historyToken
    info[ContextNotification.changeTokenKey] = historyToken
    return info
  }

  /// Schedules a merge of the save in the contexts that merge automatically: the context's children and, if
  /// it has no parent, the other contexts of its coordinator.
  private func scheduleMergesElsewhere() {
    if context.parentSource == nil { context.coordinator?.didSave(saved, by: context) }
    context.scheduleMergesInChildren(of: saved)
  }
}
