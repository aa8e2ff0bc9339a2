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
/// With a delegate, or somebody who reads `changes` or `snapshots`, it follows the context's inserted,
/// changed, refreshed and deleted objects whenever pending changes are processed, and objects whose
/// predicate, order or section reads what changed in another object; without one its content is that of
/// the last fetch. The predicate and the order are evaluated on current values; the fetch limit and offset
/// count at the fetch alone. Use it on its context's queue.
/// Source: documented, “NSFetchedResultsController”.
open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
  /// The request; what is changed in it counts from the next `performFetch()` on.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// The context whose objects are shown.
  public let managedObjectContext: NSManagedObjectContext
  /// The key path whose value names an object's section; nil for one nameless section.
  public let sectionNameKeyPath: String?
  /// The name of a file in which the sections outlive the program; nil for none.
  ///
  /// What is kept there counts only for the same request on unchanged stores, so a fetch never gives
  /// other sections than without; it saves asking every object for its section's name.
  public let cacheName: String?

  private(set) lazy var results = TrackedResults(
    managedObjectContext,
    sectionNameKeyPath,
    cacheName,
    erased
  )
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
    let content = results.shown.map { list in
      "\(list.count) objects in \(sections?.count ?? 0) sections"
    }
    return "\(addressedName) (entity: \(fetchRequest.entityName ?? "(null)"); sectionNameKeyPath: "
      + "\(sectionNameKeyPath ?? "(null)"); \(content ?? "not fetched"))"
  }

  /// The controller under the type that delegates see: the same object.
  private var erased: NSFetchedResultsController<NSFetchRequestResult> {
    // Every result type is a class, so that all controllers have one layout; a checked cast would
    // refuse the type's name.
    unsafeBitCast(self as AnyObject, to: NSFetchedResultsController<NSFetchRequestResult>.self)
  }

  /// Who is told of changes; held weakly.
  ///
  /// Setting it makes the controller follow its context from then on.
  open var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { results.delegate }
    set { results.delegate = newValue }
  }

  // MARK: Content

  /// Fetches the content, for the first time or anew.
  ///
  /// Of a fetch only a delegate with the snapshot method is told.
  ///
  /// - Throws: what the fetch throws; 134060 where the objects do not sort into their sections, or
  ///   the request is for other than managed objects. There is no content then.
  /// - Complexity: one statement; O(rows) besides.
  open func performFetch() throws {
    cachedObjects = nil
    try results.performFetch(fetchRequest)
  }

  /// The objects in order; nil before the first fetch.
  ///
  /// - Complexity: O(rows) after a change, O(1) until the next one.
  open var fetchedObjects: [ResultType]? {
    guard let list = results.shown else { return nil }
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
  open var sections: [any NSFetchedResultsSectionInfo]? { results.sections }

  /// The object of a row; a path outside the content stops the program.
  ///
  /// - Complexity: O(log rows).
  open func object(at indexPath: IndexPath) -> ResultType {
    Self.result(results.object(at: indexPath))
  }

  /// The path of an object; nil where the content has not this very object.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    results.shown?.path(of: object).map(IndexPath.init)
  }

  private static func result(_ object: AnyObject) -> ResultType {
    // The fetch gave objects of this type, and the context's changes are of the same entity.
    unsafeDowncast(object, to: ResultType.self)
  }

  // MARK: Section index

  /// The title of a section in the index: what the delegate says, else the capitalised first letter
  /// of its name; nil for an empty name.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    guard let delegate else { return defaultIndexTitle(sectionName) }
    return delegate.controller(erased, sectionIndexTitleForSectionName: sectionName)
  }

  /// The titles of the sections that have one, in order; empty before the first fetch.
  open var sectionIndexTitles: [String] {
    (results.shown?.sections ?? []).compactMap { sectionIndexTitle(forSectionName: $0.name) }
  }

  /// The section that belongs to a title of `sectionIndexTitles`.
  ///
  /// A title that is not at that index stops the program.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    var titles: [String] = []
    for section in results.shown?.sections ?? [] {
      guard let found = sectionIndexTitle(forSectionName: section.name) else { continue }
      if titles.count == sectionIndex, found == title { return section.index }
      titles.append(found)
    }
    Misuse.indexTitleMismatch(title, at: sectionIndex, titles: titles)
  }

  /// Deletes the kept sections of that name, or all that this program keeps for nil; nothing where
  /// there are none.
  ///
  /// There is no need to: sections of another request or of changed stores are never used.
  open class func deleteCache(withName name: String?) { SectionCache.delete(name) }
}
