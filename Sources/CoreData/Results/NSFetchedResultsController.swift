// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// A sorted list of managed objects, optionally divided into sections, that follows the changes in a context.
///
/// ```swift
/// let request = NSFetchRequest<Team>(entityName: "Team")
/// request.sortDescriptors = [
///   NSSortDescriptor(key: "qualifyingZone", ascending: true),
///   NSSortDescriptor(key: "wins", ascending: false),
/// ]
/// let controller = NSFetchedResultsController(
///   fetchRequest: request, managedObjectContext: context,
///   sectionNameKeyPath: "qualifyingZone", cacheName: nil)
/// controller.delegate = self
/// try controller.performFetch()
/// ```
/// The controller follows the context while there is a delegate that implements at least one method for
/// changes, or another observer such as `changes`, `snapshots` or `ObservedResults`. A controller that
/// follows the context updates its content whenever the context processes pending changes. The update covers
/// inserted, updated, refreshed and deleted objects, and objects whose membership, order or section depends
/// on a changed related object. Without a delegate or observer, the content does not change until the next
/// fetch.
///
/// The predicate and the order are evaluated on current values, saved or unsaved. The fetch limit and offset
/// apply to `performFetch()`, not to later changes. Use the controller on the context's queue.
///
/// Source: documented, “NSFetchedResultsController”.
open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
  /// The fetch request; a change of the request takes effect at the next `performFetch()`.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// The context in which the controller fetches its objects.
  public let managedObjectContext: NSManagedObjectContext
  /// The key path whose value is the name of an object's section; nil for a single section without a name.
  public let sectionNameKeyPath: String?
  /// The name under which sections are cached between launches; nil for no cache.
  ///
  /// Cached sections are used only for the same request on unchanged stores, so the cache never changes the
  /// result of a fetch. With cached sections, the fetch need not read the section name of every object.
  public let cacheName: String?

  /// The lists that the controller shows.
  package let content: ResultsContent
  /// The object that calls the delegate and the listeners.
  package private(set) lazy var notifier = ResultsNotifier(content, of: erased)
  /// The object that keeps the content up to date.
  package private(set) lazy var follower = ResultsFollower(managedObjectContext, content, notifier)
  private var cachedObjects: (list: ResultsList, revision: Int, objects: [ResultType])?

  /// Creates a controller without content; call `performFetch()` next.
  ///
  /// Stops the program if the request's `sortDescriptors` are nil. With empty `sortDescriptors` the objects
  /// are sorted by their object IDs, temporary IDs last. The request's sort descriptors must put the objects
  /// of a section next to each other.
  public init(
    fetchRequest: NSFetchRequest<ResultType>,
    managedObjectContext context: NSManagedObjectContext,
    sectionNameKeyPath: String?,
    cacheName name: String?
  ) {
    if fetchRequest.sortDescriptors == nil { Misuse.resultsWithoutOrder() }
    self.fetchRequest = fetchRequest
    managedObjectContext = context
    self.sectionNameKeyPath = sectionNameKeyPath
    cacheName = name
    content = ResultsContent(isSectioned: sectionNameKeyPath != nil)
    super.init()
  }

  /// Creates a controller without a usable request, as a placeholder.
  ///
  /// The request has no entity and the context has no coordinator, so `performFetch()` stops the program.
  ///
  /// Source: inherited from `NSObject` on Apple's systems.
  public override convenience init() {
    let request = NSFetchRequest<ResultType>()
    request.sortDescriptors = []
    self.init(
      fetchRequest: request,
      managedObjectContext: NSManagedObjectContext(.privateQueue),
      sectionNameKeyPath: nil,
      cacheName: nil
    )
  }

  /// A text with the entity, the section key path and, if there is content, the counts of objects and
  /// sections.
  open override var description: String {
    let summary = content.displayedList.map { list in
      "\(list.count) objects in \(sections?.count ?? 0) sections"
    }
    return "\(addressedName) (entity: \(fetchRequest.entityName ?? "(null)"); sectionNameKeyPath: "
      + "\(sectionNameKeyPath ?? "(null)"); \(summary ?? "not fetched"))"
  }

  /// This controller with the static type that delegates receive.
  private var erased: NSFetchedResultsController<NSFetchRequestResult> {
    // Every result type is a class, so all specialisations have the same layout. A checked cast would fail,
    // because the specialisations are different types.
    unsafeBitCast(self as AnyObject, to: NSFetchedResultsController<NSFetchRequestResult>.self)
  }

  /// The delegate, which is notified of changes; held weakly, nil by default.
  ///
  /// After the first fetch, the controller follows the context if the delegate implements at least one method
  /// for changes.
  open var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { notifier.delegate }
    set {
      notifier.delegate = newValue
      follower.updateObservation()
    }
  }

  func add(_ listener: any ResultsListener) {
    notifier.add(listener)
    follower.updateObservation()
  }

  func remove(_ listener: any ResultsListener) {
    notifier.remove(listener)
    follower.updateObservation()
  }

  // MARK: Content

  /// Fetches the content, for the first time or again.
  ///
  /// The delegate is notified only if it implements `controller(_:didChangeContentWith:)` with a snapshot.
  /// - Throws: the errors of the fetch; `NSCoreDataError` (134060) if the objects of a section are not next
  ///   to each other, or if the request's `resultType` is not `managedObjectResultType`. After an error the
  ///   controller has no content.
  /// - Complexity: O(rows), in addition to the fetch.
  open func performFetch() throws {
    cachedObjects = nil
    notifier.contentWillChange()
    notifier.temporaryIDs.removeAll()
    content.removeAll()
    follower.reset()
    do {
      content.replace(with: try ResultsFetch(for: self).run())
    } catch {
      follower.updateObservation()
      throw error
    }
    follower.updateObservation()
    notifier.contentWasFetched()
  }

  /// The objects in order; nil if there is no content, because no fetch was performed or the last fetch
  /// failed.
  ///
  /// - Complexity: O(rows) at the first access after a change, otherwise O(1).
  open var fetchedObjects: [ResultType]? {
    guard let list = content.displayedList else { return nil }
    if let cachedObjects, cachedObjects.list === list, cachedObjects.revision == list.revision {
      return cachedObjects.objects
    }
    let objects = list.objects.map(Self.result)
    cachedObjects = (list, list.revision, objects)
    return objects
  }

  /// The sections in order; nil if there is no content, because no fetch was performed or the last fetch
  /// failed.
  ///
  /// Without a section key path there is always one section. With a section key path and no objects, there
  /// are no sections.
  open var sections: [any NSFetchedResultsSectionInfo]? { content.sectionInfos(of: erased) }

  /// Returns the object of a row; stops the program if the path is outside the content, or if there is no
  /// content.
  ///
  /// - Complexity: O(log rows).
  open func object(at indexPath: IndexPath) -> ResultType {
    Self.result(content.object(at: indexPath))
  }

  /// Returns the path of an object, or nil if the content does not contain this object.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    content.displayedList?.path(of: object).map(IndexPath.init)
  }

  private static func result(_ object: AnyObject) -> ResultType {
    // The list contains only objects of the fetched entity, which have this type.
    unsafeDowncast(object, to: ResultType.self)
  }

  // MARK: Section index

  /// Returns the title of a section in the section index, or nil if the section has no title.
  ///
  /// The title is provided by the delegate's `controller(_:sectionIndexTitleForSectionName:)`. Without a
  /// delegate, or if the delegate does not implement this method, the title is the first letter of the name
  /// in upper case, or nil for an empty name.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    guard let delegate else { return defaultIndexTitle(sectionName) }
    return delegate.controller(erased, sectionIndexTitleForSectionName: sectionName)
  }

  /// The titles of all sections that have a title, in order; empty if there is no content.
  open var sectionIndexTitles: [String] {
    (content.displayedList?.sections ?? []).compactMap {
      sectionIndexTitle(forSectionName: $0.name)
    }
  }

  /// Returns the index of the section whose title is at `sectionIndex` in `sectionIndexTitles`.
  ///
  /// Stops the program if `title` is not the title at `sectionIndex`.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    var titles: [String] = []
    for section in content.displayedList?.sections ?? [] {
      guard let found = sectionIndexTitle(forSectionName: section.name) else { continue }
      if titles.count == sectionIndex, found == title { return section.index }
      titles.append(found)
    }
    Misuse.indexTitleMismatch(title, at: sectionIndex, titles: titles)
  }

  /// Deletes the section cache with the given name, or all section caches of this program if `name` is nil.
  ///
  /// Does nothing if there is no cache. Deleting a cache is never necessary for correct results, because
  /// cached sections of another request or of changed stores are not used.
  open class func deleteCache(withName name: String?) { SectionCache.delete(name) }
}
