// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// The content of a fetched results controller, whatever its result type: the list, and the way from
/// the context's changes to the delegate.
///
/// One file an aspect: `+Rules` what the list asks of objects, `+Changes` how it follows the context,
/// `+Related` what changes of other objects mean to it, `+Delegate` who is told and in which form,
/// `+Cache` how sections outlive the program.
final class TrackedResults: ContextObserver {
  let context: NSManagedObjectContext
  let sectionNameKeyPath: String?
  let cacheName: String?
  /// The owner, under the type that delegates see.
  unowned let controller: NSFetchedResultsController<NSFetchRequestResult>
  /// The same; nil while it goes.
  private(set) weak var living: NSFetchedResultsController<NSFetchRequestResult>?
  /// What the controller shows; nil before the first fetch.
  var shown: ResultsList?
  /// What follows the context: the shown list, but for a delegate that is told something late and one
  /// that was not found to listen.
  var list: ResultsList?
  /// Grows with every fetch, so that a round that a new fetch interrupts ends.
  var fetches = 0

  weak var delegate: (any NSFetchedResultsControllerDelegate)? {
    didSet {
      if delegate !== oldValue {
        methods = DelegateMethods()
        temporaryIDs = [:]
        audience += 1
      }
      follow()
    }
  }
  /// Grows with every other delegate, so that none is told the rest of a round that began before it.
  private(set) var audience = 0
  /// The audience of what is being told.
  var addressed = 0
  /// What is known of the delegate's optional methods.
  var methods = DelegateMethods()
  /// IDs that the delegate was given and that a save replaces.
  var temporaryIDs: [ObjectIdentifier: (object: NSManagedObject, id: NSManagedObjectID)] = [:]
  /// The section identifier of snapshots of a list without sections.
  let plainSectionIdentifier = UUID().uuidString
  var listeners: [any ResultsListener] = []

  /// Whether the context was reset since the fetch.
  var isInvalidated = false
  var isTelling = false
  /// Rows that found their places while faults could read newer rows than the list knows.
  var unsure: [ObjectIdentifier: AnyObject] = [:]
  /// Changes that were not acted on yet.
  var waiting: [ContextChanges] = []
  /// Whether the context had events between the fetch and now of which the list does not know.
  var hasMissedEvents = false
  /// The context's number of events when the list stopped to follow; nil while it follows.
  private var lastEvent: Int?
  /// How changes of other objects reach the list's.
  var relatedPaths: RelatedPaths?
  private(set) var readEntities: Set<Int> = []
  /// Entities whose objects the list may show.
  private(set) var shownEntities = 0..<0
  private var infos:
    (list: ResultsList, revision: Int, sections: [any NSFetchedResultsSectionInfo])?

  init(
    _ context: NSManagedObjectContext,
    _ sectionNameKeyPath: String?,
    _ cacheName: String?,
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    self.context = context
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
    self.controller = controller
    living = controller
  }

  deinit {
    for listener in listeners { listener.contentEnded() }
  }

  var isSectioned: Bool { sectionNameKeyPath != nil }

  // MARK: Fetching

  /// Fetches the content; there is none where that fails.
  func performFetch<Result>(_ request: NSFetchRequest<Result>) throws {
    for listener in listeners { listener.contentWillChange() }
    forgetContent()
    do {
      try fetch(request)
    } catch {
      follow()
      throw error
    }
    follow()
    for listener in listeners { listener.contentWasFetched(self) }
    tellOfFetch()
  }

  private func forgetContent() {
    fetches += 1
    list = nil
    shown = nil
    infos = nil
    waiting = []
    unsure = [:]
    isInvalidated = false
    temporaryIDs = [:]
    readEntities = []
    hasMissedEvents = false
    lastEvent = nil
  }

  private func fetch<Result>(_ request: NSFetchRequest<Result>) throws {
    guard request.resultType == .managedObjectResultType else {
      throw coreDataError(
        NSCoreDataError,
        "A fetched results controller shows managed objects.",
        "The resultType of its fetch request is another one; leave it at managedObjectResultType."
      )
    }
    if request.sortDescriptors == nil { Misuse.resultsWithoutOrder() }
    guard let model = context.frozenModel else {
      Misuse.contextHasNoModel(entityName: request.entityName ?? "")
    }
    let entity = try request.resolve(in: model)
    let description = try request.description(of: entity, in: model.definition)
    let cache = sectionCache(description, request)
    var objects = try context.fetch(request)
    let known = cache?.load()
    let counted = known == nil ? countedSections(description, request, of: objects.count) : nil
    let rules = rules(description)
    // A store gives rows without an order as it finds them; the list has one to keep changes in.
    if description.order.isEmpty { objects.sort { rules.compare($0, $1) < 0 } }
    do throws(SectionOrderError) {
      list = try ResultsList(
        sorted: objects,
        rules: rules,
        known: known ?? counted,
        isProven: counted != nil
      )
    } catch {
      // Others may have changed rows whose objects have older values here.
      let sorted = objects.sorted { rules.compare($0, $1) < 0 }
      // The first error says more than that of the second attempt.
      guard let list = try? ResultsList(sorted: sorted, rules: rules) else {
        throw outOfOrder(error, description)
      }
      self.list = list
    }
    shown = list
    if let list, !list.usedKnownSections { cache?.save(list) }
    let paths = RelatedPaths(description, sectionNameKeyPath, in: context.registry.model)
    relatedPaths = paths
    shownEntities =
      description.includesSubentities ? entity.family : entity.index..<entity.index + 1
    readEntities = paths.entities.union(shownEntities)
  }

  private func outOfOrder(_ error: SectionOrderError, _ description: FetchDescription) -> NSError {
    coreDataError(
      NSCoreDataError,
      "The fetched object at index \(error.position) has an out of order section name "
        + "'\(error.name)'. Objects must be sorted by section name.",
      "The section '\(error.name)' came back after '\(error.after)': sectionNameKeyPath "
        + "'\(sectionNameKeyPath ?? "")' does not lead the sort, which is by "
        + description.order.map { "'\($0.keyPath)'" }.joined(separator: ", ")
        + ". Make it the key of the first sort descriptor, or sort first by a key that gives the "
        + "same order."
    )
  }

  // MARK: Reading

  /// The object of a row.
  func object(at path: IndexPath) -> AnyObject {
    guard let shown else { Misuse.resultsNotFetched() }
    let sections = shown.sections
    guard path.count == 2, sections.indices.contains(path[0]) else {
      Misuse.noObject(at: path, sections: sections.count, rows: nil)
    }
    let section = sections[path[0]]
    guard path[1] >= 0, path[1] < section.count else {
      Misuse.noObject(at: path, sections: sections.count, rows: section.count)
    }
    return section[path[1]]
  }

  /// One for each section, the same until the content changes.
  var sections: [any NSFetchedResultsSectionInfo]? {
    guard let shown else { return nil }
    if let infos, infos.list === shown, infos.revision == shown.revision { return infos.sections }
    let sections = shown.sections.map { ResultsSectionInfo($0, of: self) }
    infos = (shown, shown.revision, sections)
    return sections
  }

  static func managed(_ object: AnyObject) -> NSManagedObject {
    // Only a fetch of managed objects, and the context's changes, fill the list.
    unsafeDowncast(object, to: NSManagedObject.self)
  }

  // MARK: Following

  /// Follows the context where there is content and somebody to tell.
  func follow() {
    let isHeard = delegate != nil && !isDelegateSilent || !listeners.isEmpty
    if let list, isHeard, !isInvalidated {
      list.prepare()
      if let lastEvent, lastEvent != context.toldEvents { hasMissedEvents = true }
      lastEvent = nil
      context.addObserver(self)
    } else {
      // What was noted and not acted on is missed too.
      if lastEvent == nil { lastEvent = waiting.isEmpty ? context.toldEvents : -1 }
      waiting = []
      context.removeObserver(self)
    }
  }

  func add(_ listener: any ResultsListener) {
    listeners.append(listener)
    follow()
  }

  func remove(_ listener: any ResultsListener) {
    listeners.removeAll { $0 === listener }
    follow()
  }
}

/// Somebody besides the delegate who hears of a controller's content, on the context's queue.
protocol ResultsListener: AnyObject {
  func contentWillChange()
  func contentWasFetched(_ results: TrackedResults)
  func contentDidChange(_ changes: ResultChanges, of results: TrackedResults)
  /// Rows' temporary IDs became permanent.
  func identifiersDidChange(of results: TrackedResults)
  /// The controller is gone.
  func contentEnded()
}
