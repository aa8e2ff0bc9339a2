// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// A sorted, sectioned list of managed objects that follows its context.
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
/// While it has a delegate, or `changes` or `snapshots` are read, it follows the context's inserted,
/// changed, refreshed and deleted objects whenever pending changes are processed, and objects whose
/// predicate, order or section reads what changed in another object; otherwise its content is that of
/// the last fetch. The predicate and the order are evaluated on current values; the fetch limit and offset
/// count at the fetch alone. Use it on its context's queue.
/// Source: documented, “NSFetchedResultsController”.
open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
  /// The request; changes to it take effect at the next `performFetch()`.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// The context whose objects are shown.
  public let managedObjectContext: NSManagedObjectContext
  /// The key path whose value names an object's section; nil for one nameless section.
  public let sectionNameKeyPath: String?
  /// The name of a file in which sections are cached between launches; nil for none.
  ///
  /// Cached sections are used only for the same request on unchanged stores, so the cache never changes the
  /// result of a fetch. It saves reading the section name of every object.
  public let cacheName: String?

  /// The lists that it shows.
  package let content: ResultsContent
  /// Calls the delegate and the listeners.
  package private(set) lazy var notifier = ResultsNotifier(content, of: erased)
  /// Keeps the content up to date.
  package private(set) lazy var follower = ResultsFollower(managedObjectContext, content, notifier)
  private var cachedObjects: (list: ResultsList, revision: Int, objects: [ResultType])?

  /// A controller without content; call `performFetch()` next.
  ///
  /// A request whose `sortDescriptors` are nil stops the program; with an empty array objects are in the
  /// order of their store, new ones last. The value of the section key path has to sort as the first sort descriptor does.
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

  /// A controller without a request, for a property that gets its real one later.
  ///
  /// Its request has no entity and its context no stores: `performFetch()` stops the program, as the fetch
  /// of such a request does. Source: inherited from `NSObject` on Apple's systems.
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

  /// Entity, section key path, and how many objects in how many sections there are.
  open override var description: String {
    let summary = content.displayedList.map { list in
      "\(list.count) objects in \(sections?.count ?? 0) sections"
    }
    return "\(addressedName) (entity: \(fetchRequest.entityName ?? "(null)"); sectionNameKeyPath: "
      + "\(sectionNameKeyPath ?? "(null)"); \(summary ?? "not fetched"))"
  }

  /// The controller under the type that delegates see: the same object.
  private var erased: NSFetchedResultsController<NSFetchRequestResult> {
    // Every result type is a class, so that all controllers have one layout; a checked cast would
    // refuse the type's name.
    unsafeBitCast(self as AnyObject, to: NSFetchedResultsController<NSFetchRequestResult>.self)
  }

  /// The object that is notified of changes, held weakly.
  ///
  /// Setting it makes the controller follow its context from then on.
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

  /// Fetches the content, for the first time or anew.
  ///
  /// `performFetch()` notifies the delegate only if it implements
  /// `controller(_:didChangeContentWith:)` with a snapshot.
  ///
  /// - Throws: what the fetch throws; 134060 where the objects are not sorted by section, or the request's
  ///   result type is not managed objects. There is no content then.
  /// - Complexity: one statement; O(rows) besides.
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

  /// The objects in order; nil before the first fetch.
  ///
  /// - Complexity: O(rows) after a change, O(1) until the next one.
  open var fetchedObjects: [ResultType]? {
    guard let list = content.displayedList else { return nil }
    if let cachedObjects, cachedObjects.list === list, cachedObjects.revision == list.revision {
      return cachedObjects.objects
    }
    let objects = list.objects.map(Self.result)
    cachedObjects = (list, list.revision, objects)
    return objects
  }

  /// The sections in order; nil before the first fetch.
  ///
  /// Without a section key path there is always one; with one there are none for no objects.
  open var sections: [any NSFetchedResultsSectionInfo]? { content.sectionInfos(of: erased) }

  /// The object of a row; a path outside the content stops the program.
  ///
  /// - Complexity: O(log rows).
  open func object(at indexPath: IndexPath) -> ResultType {
    Self.result(content.object(at: indexPath))
  }

  /// The path of an object; nil where the content does not have this very object.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    content.displayedList?.path(of: object).map(IndexPath.init)
  }

  private static func result(_ object: AnyObject) -> ResultType {
    // The fetch gave objects of this type, and the context's changes are of the same entity.
    unsafeDowncast(object, to: ResultType.self)
  }

  // MARK: Section index

  /// The title of a section in the index: the delegate's, or else the capitalised first letter of its name;
  /// nil for an empty name.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    guard let delegate else { return defaultIndexTitle(sectionName) }
    return delegate.controller(erased, sectionIndexTitleForSectionName: sectionName)
  }

  /// The titles of the sections that have one, in order; empty before the first fetch.
  open var sectionIndexTitles: [String] {
    (content.displayedList?.sections ?? []).compactMap {
      sectionIndexTitle(forSectionName: $0.name)
    }
  }

  /// The section that belongs to a title of `sectionIndexTitles`.
  ///
  /// A title that is not at that index stops the program.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    var titles: [String] = []
    for section in content.displayedList?.sections ?? [] {
      guard let found = sectionIndexTitle(forSectionName: section.name) else { continue }
      if titles.count == sectionIndex, found == title { return section.index }
      titles.append(found)
    }
    Misuse.indexTitleMismatch(title, at: sectionIndex, titles: titles)
  }

  /// Deletes the cached sections of that name, or for nil all that this program has cached.
  ///
  /// It does nothing where there are none. It is never needed for correctness: cached sections of another
  /// request or of changed stores are not used.
  open class func deleteCache(withName name: String?) { SectionCache.delete(name) }
}
