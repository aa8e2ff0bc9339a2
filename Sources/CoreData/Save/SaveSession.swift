// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// One save of a context, from `willSave` to the notifications.
///
/// - Throws: 133010, conflicts that the merge policy leaves unresolved (133020, 133021), validation
///   errors, also of merged objects, 134040 where a commit failed after another store's, and what a store
///   throws. Except after 134040 the graph is then as it was.
struct SaveSession {
  typealias Step = @Sendable (inout SaveSession) throws -> Void

  /// The context's objects change only after every store has kept its part.
  static let steps: [Step] = [
    { $0.postWillSave() }, { $0.callWillSave() }, { try $0.validate() }, { try $0.write() },
    { $0.callDidSave() }, { $0.postDidSave() }, { $0.scheduleMergesElsewhere() },
  ]

  /// How often a save is written again after its conflicts were resolved.
  private static let resolutionLimit = 32
  /// How often `willSave` may change objects.
  private static let willSaveLimit = 1000

  let context: NSManagedObjectContext
  /// Whether there was anything to write after `willSave`.
  private var hasWork = false
  private var attempts = 0
  /// What was saved; empty before the write.
  var saved = SavedObjects()
  /// The point in the stores' histories behind the save; nil where no store has a history.
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

  /// Calls `willSave` until no object changes any more, with deletions propagated.
  private mutating func callWillSave() {
    for round in 0... {
      if round == Self.willSaveLimit { Misuse.willSaveKeepsChanging() }
      context.endChangeEvent()
      if !context.propagatesDeletesAtEndOfEvent {
        let summary = graph.processPendingChanges()
        context.registerUndoStep()
        context.report(summary)
      }
      for object in graph.inserted { NSManagedObjectContext.managed(object).willSave() }
      for object in graph.updated { NSManagedObjectContext.managed(object).willSave() }
      for object in graph.deleted { NSManagedObjectContext.managed(object).willSave() }
      if !graph.hasPendingEvent { break }
    }
    hasWork = graph.hasWork
  }

  private func validate() throws {
    if hasWork { try context.validateChanges() }
  }

  // MARK: The write

  private mutating func write() throws {
    if !hasWork { return }
    if let source = context.parentSource {
      pushChanges(to: source)
    } else {
      try writeToStores()
    }
  }

  private mutating func writeToStores() throws {
    do {
      while let conflict = try attemptWrite() {
        graph.beginMerge()
        if attempts > Self.resolutionLimit { throw conflict.error }
        // The rows that the save met are those of now, also where the context is pinned to a generation.
        try context.readingNewest { try resolve(conflict) }
      }
    } catch {
      graph.revertMerge()
      throw error is StoreError ? cocoaError(error) : error
    }
    graph.endMerge()
    context.advanceGeneration()
    if attempts > 1 {
      // The changes of a resolution are reported before the save is.
      graph.dropUndoStep()
      context.endChangeEvent()
    }
  }

  /// Writes once.
  ///
  /// - Returns: the conflict that kept a store from its part; nil where every store has kept its part.
  private mutating func attemptWrite() throws -> SaveConflict? {
    attempts += 1
    var attempt = try SaveAttempt(of: context, foldsInserts: attempts == 1)
    if let conflict = try attempt.write() { return conflict }
    attempt.commit()
    saved = attempt.saved
    historyToken = attempt.historyToken
    return nil
  }

  /// Has the merge policy resolve the conflict, and makes the graph fit to be written again.
  private func resolve(_ conflict: SaveConflict) throws {
    guard let policy = context.mergePolicy as? NSMergePolicy else { throw conflict.error }
    try graph.merging.readNewest(around: conflict.versions.map { ($0.sourceObject, $0.newerRow) })
    try policy.resolve(mergeConflicts: conflict.list)
    graph.propagateDeletions()
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

  /// What both notifications of a save carry.
  private var sharedInfo: [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [:]
    info[NSManagedObjectContextQueryGenerationKey] = context.newGenerationToken
    info[NSPersistentHistoryTokenKey] = historyToken
    info[ContextNotification.changeTokenKey] = historyToken
    return info
  }

  /// Contexts that merge by themselves, of the coordinator and below this one, merge the save soon.
  private func scheduleMergesElsewhere() {
    if context.parentSource == nil { context.coordinator?.didSave(saved, by: context) }
    context.scheduleMergesInChildren(of: saved)
  }
}
