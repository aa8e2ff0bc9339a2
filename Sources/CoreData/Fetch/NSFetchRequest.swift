// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

// Marker protocols have no witness table and conform to themselves. Apple's protocol also conforms to itself
// and needs no witness table, because it is an Objective-C protocol. Without a witness table each result is a
// single reference.
/// The type of a fetch's results: managed objects, their IDs, dictionaries or numbers.
///
/// `NSFetchRequest<NSFetchRequestResult>` is a request for results of any of these types. The compiler
/// rejects a cast to `NSFetchRequestResult`; cast to the class instead.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The form of a fetch's results; raw values are Apple's.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  /// The type as a bit mask; 0 for managed objects.
  public let rawValue: UInt
  /// Creates a type from a bit mask.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// Managed objects.
  public static let managedObjectResultType = NSFetchRequestResultType([])
  /// The IDs of managed objects.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// Dictionaries; see `propertiesToFetch`.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// One `NSNumber`: the number of matching objects within the fetch limit and the fetch offset.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)

  /// Apple's name of the type, or the raw value if Apple has no name for it.
  var name: String {
    switch self {
    case .managedObjectResultType: "NSManagedObjectResultType"
    case .managedObjectIDResultType: "NSManagedObjectIDResultType"
    case .dictionaryResultType: "NSDictionaryResultType"
    case .countResultType: "NSCountResultType"
    default: "\(rawValue)"
    }
  }
}

/// A description of the objects to fetch, their order, and the form of the results.
///
/// ```swift
/// let request = NSFetchRequest<Team>(entityName: "Team")
/// request.predicate = NSPredicate(format: "wins > %d", 3)
/// request.sortDescriptors = [NSSortDescriptor(key: "teamName", ascending: true)]
/// let teams = try context.fetch(request)
/// ```
/// Source: documented, “NSFetchRequest”.
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
  private var resolved: NSEntityDescription?

  /// Creates a request without an entity; executing it before an entity is set throws `NSCoreDataError`
  /// (134060).
  public override init() { super.init() }

  /// Creates a request for the entity with the given name.
  ///
  /// The name is looked up when the request is used.
  public convenience init(entityName: String) {
    self.init()
    self.entityName = entityName
  }

  /// The name of the entity; nil if the request has no entity, or if the entity has no name.
  public private(set) var entityName: String?
  /// The entity; nil for a request without an entity.
  ///
  /// Stops the program if the request was created with an entity name and has not been used yet.
  open var entity: NSEntityDescription? {
    get {
      if resolved == nil, let entityName { Misuse.requestUnresolved(entityName) }
      return resolved
    }
    set {
      resolved = newValue
      entityName = newValue?.name
    }
  }

  /// The predicate that objects must match; nil for all objects.
  open var predicate: NSPredicate?
  /// The sort descriptors of the results; nil, the default, for no particular order.
  open var sortDescriptors: [NSSortDescriptor]?
  /// The maximum number of results; 0 for no limit.
  open var fetchLimit = 0
  /// The number of results to skip at the start; 0 by default.
  open var fetchOffset = 0
  /// The form of the results; managed objects by default.
  open var resultType = NSFetchRequestResultType.managedObjectResultType
  /// Whether objects of subentities are included; true by default.
  open var includesSubentities = true
  /// Whether the fetch reads rows instead of only IDs; true by default.
  open var includesPropertyValues = true
  /// Whether objects are returned as faults with cached rows instead of as realised objects; true by default.
  open var returnsObjectsAsFaults = true
  /// Whether unsaved changes are included; true by default.
  ///
  /// Dictionaries always show saved values only.
  open var includesPendingChanges = true
  /// Whether equal dictionaries are returned only once; false by default.
  ///
  /// Has an effect only on dictionaries, and only if `propertiesToFetch` is set.
  open var returnsDistinctResults = false
  /// The columns of dictionaries: names, key paths, descriptions of attributes or to-ones, expressions or
  /// expression descriptions.
  ///
  /// Nil or an empty array means all persistent attributes and to-ones. Managed objects are always
  /// fetched with whole rows. Setting an array before the request has an entity stops the program.
  ///
  /// Source: documented, “propertiesToFetch”.
  open var propertiesToFetch: [Any]? {
    didSet {
      if propertiesToFetch != nil, entityName == nil { Misuse.propertiesBeforeEntity() }
    }
  }
  /// The columns by which dictionaries are grouped, in the forms that `propertiesToFetch` allows; nil for no
  /// grouping.
  open var propertiesToGroupBy: [Any]?
  /// The predicate that groups of dictionaries must match; nil for all groups.
  open var havingPredicate: NSPredicate?
  /// The number of rows to read at a time; 0 to read all at once.
  ///
  /// With a batch size, the fetch reads the objects' keys, and the first use of a fault reads the rows of its
  /// batch. The returned array contains an object for each key; the collection that `fetchLazily(_:)` returns
  /// creates faults only when they are accessed. If a batch cannot be read later, for example after an I/O
  /// error or after the store was removed, using the objects of the batch stops the program, because reading
  /// an object or an element cannot throw.
  ///
  /// Source: documented, “fetchBatchSize”; docs/decisions/0006-batched-fetches.md.
  open var fetchBatchSize = 0
  /// Key paths of relationships whose destinations are read together with the objects; nil for none.
  ///
  /// The destinations are faults with cached rows; they are retained until the objects that lead to them are
  /// released.
  /// - Complexity: a few statements for each relationship of a key path.
  open var relationshipKeyPathsForPrefetching: [String]?
  /// Whether objects that are already realised are refreshed with the store's values, keeping their
  /// unsaved changes; false by default.
  open var shouldRefreshRefetchedObjects = false

  /// Executes the request in the context whose block is running.
  ///
  /// - Throws: `NSCoreDataError` (134060) outside a context's block; the errors of the fetch.
  open func execute() throws -> [ResultType] {
    guard let context = CurrentContext.value else {
      throw coreDataError(
        NSCoreDataError,
        "NSFetchRequest.execute() must be called within a context's perform block."
      )
    }
    return try context.fetch(self)
  }

  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  override func coordinatorResult(in context: NSManagedObjectContext) throws -> Any {
    try context.fetch(self)
  }

  /// Returns a request with the same settings.
  open override func copy(with zone: NSZone? = nil) -> Any {
    NSFetchRequest<ResultType>(like: self)
  }

  /// Creates a request with the settings of another request, whose generic parameter may differ.
  package convenience init<Other>(like other: NSFetchRequest<Other>) {
    self.init()
    resolved = other.resolved
    entityName = other.entityName
    affectedStores = other.affectedStores
    predicate = other.predicate
    sortDescriptors = other.sortDescriptors
    fetchLimit = other.fetchLimit
    fetchOffset = other.fetchOffset
    resultType = other.resultType
    includesSubentities = other.includesSubentities
    includesPropertyValues = other.includesPropertyValues
    returnsObjectsAsFaults = other.returnsObjectsAsFaults
    includesPendingChanges = other.includesPendingChanges
    returnsDistinctResults = other.returnsDistinctResults
    propertiesToFetch = other.propertiesToFetch
    propertiesToGroupBy = other.propertiesToGroupBy
    havingPredicate = other.havingPredicate
    fetchBatchSize = other.fetchBatchSize
    relationshipKeyPathsForPrefetching = other.relationshipKeyPathsForPrefetching
    shouldRefreshRefetchedObjects = other.shouldRefreshRefetchedObjects
  }

  /// The class, the address and the main settings of the request.
  open override var description: String {
    let order = sortDescriptors.map { DescribedValues.array($0) } ?? "(null)"
    var parts = [
      "entity: \(entityName ?? "(null)")",
      "predicate: (\(predicate.map(String.init(describing:)) ?? "(null)"))",
      "sortDescriptors: (\(order))",
    ]
    if fetchLimit > 0 { parts.append("limit: \(fetchLimit)") }
    if fetchOffset > 0 { parts.append("offset: \(fetchOffset)") }
    if fetchBatchSize > 0 { parts.append("batch size: \(fetchBatchSize)") }
    parts.append("type: \(resultType.name)")
    if !includesSubentities { parts.append("includesSubentities: NO") }
    if !includesPendingChanges { parts.append("includesPendingChanges: NO") }
    if !includesPropertyValues { parts.append("includesPropertyValues: NO") }
    if !returnsObjectsAsFaults { parts.append("returnsObjectsAsFaults: NO") }
    if returnsDistinctResults { parts.append("returnsDistinctResults: YES") }
    if let paths = relationshipKeyPathsForPrefetching {
      parts.append("relationshipKeyPathsForPrefetching: \(DescribedValues.array(paths))")
    }
    if let columns = propertiesToFetch { parts.append("propertiesToFetch: \(Self.names(columns))") }
    if let columns = propertiesToGroupBy {
      parts.append("propertiesToGroupBy: \(Self.names(columns))")
    }
    if let havingPredicate { parts.append("havingPredicate: (\(havingPredicate))") }
    return "\(addressedName) (" + parts.map { "\($0); " }.joined() + ")"
  }

  private static func names(_ properties: [Any]) -> String {
    DescribedValues.array(properties.map { ($0 as? NSPropertyDescription)?.name ?? $0 })
  }

  /// Returns the request's entity in `model`, which is looked up by name if the request has no entity of this
  /// model.
  ///
  /// - Throws: `NSCoreDataError` (134060) if the model has no entity with the name, or if the request has no
  ///   entity or an entity without a name.
  package func resolve(in model: FrozenModel) throws -> EntityDefinition {
    if let resolved, resolved.frozen === model {
      return model.definition.entities[resolved.frozenIndex]
    }
    guard let name = resolved?.name ?? entityName else {
      throw coreDataError(
        NSCoreDataError,
        "A fetch request must have an entity"
          + (resolved == nil
            ? ": use NSFetchRequest(entityName:) or set its entity."
            : " with a name: set the name of its entity.")
      )
    }
    guard let entity = model.definition.entity(named: name) else {
      throw coreDataError(
        NSCoreDataError,
        noEntity(named: name, in: model.definition)
      )
    }
    resolved = model.entities[entity.index]
    return entity
  }
}
