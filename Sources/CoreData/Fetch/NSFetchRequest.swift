// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

// Marker protocols conform to themselves and have no witness table: Apple's, which the Objective-C
// runtime knows, has both traits, and each result stays one reference.
/// What a fetch can give: managed objects, their IDs, dictionaries and numbers.
///
/// `NSFetchRequest<NSFetchRequestResult>` is a request for any of them, extensions and protocols may build
/// on it, and a generic function takes `T: NSFetchRequestResult`. `value as? NSFetchRequestResult` is
/// refused by the compiler; cast to the class.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// What a fetch gives; raw values are Apple's.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  /// The bits; 0 for managed objects.
  public let rawValue: UInt
  /// The type with those bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// Managed objects.
  public static let managedObjectResultType = NSFetchRequestResultType([])
  /// The IDs of managed objects.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// Dictionaries with the columns of `propertiesToFetch`.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// One number: how many objects match.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)

  /// Apple's name of the type.
  fileprivate var name: String {
    switch self {
    case .managedObjectResultType: "NSManagedObjectResultType"
    case .managedObjectIDResultType: "NSManagedObjectIDResultType"
    case .dictionaryResultType: "NSDictionaryResultType"
    case .countResultType: "NSCountResultType"
    default: "\(rawValue)"
    }
  }
}

/// Which objects to fetch, in which order, and in what form.
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

  /// A request whose entity is still to be set.
  public override init() { super.init() }

  /// A request for the entity of that name, looked up when the request is used.
  public convenience init(entityName: String) {
    self.init()
    self.entityName = entityName
  }

  /// The name of the entity.
  public private(set) var entityName: String?
  /// The entity.
  ///
  /// A request made with a name stops the program before its first use.
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

  /// Which objects; nil for all.
  open var predicate: NSPredicate?
  /// In which order; nil for none.
  open var sortDescriptors: [NSSortDescriptor]?
  /// The most results; 0 for no limit.
  open var fetchLimit = 0
  /// How many results to leave out at the start.
  open var fetchOffset = 0
  /// The form of the results; managed objects at first.
  open var resultType = NSFetchRequestResultType.managedObjectResultType
  /// Whether objects of sub-entities are results; true at first.
  open var includesSubentities = true
  /// Whether rows are read, or only IDs; true at first.
  open var includesPropertyValues = true
  /// Whether objects come as faults whose rows are at hand, or realised; true at first.
  open var returnsObjectsAsFaults = true
  /// Whether unsaved changes count; true at first.
  ///
  /// Dictionaries show the store alone.
  open var includesPendingChanges = true
  /// Whether equal dictionaries come once; false at first.
  open var returnsDistinctResults = false
  /// The columns of dictionaries: names, attributes, to-ones, expression descriptions; nil for all.
  ///
  /// Managed objects come with whole rows, whatever stands here. Set before the request has an entity,
  /// it stops the program. Source: documented, “propertiesToFetch”.
  open var propertiesToFetch: [Any]? {
    didSet {
      if propertiesToFetch != nil, entityName == nil { Misuse.propertiesBeforeEntity() }
    }
  }
  /// What dictionaries are grouped by: names or attributes.
  open var propertiesToGroupBy: [Any]?
  /// Which groups to keep.
  open var havingPredicate: NSPredicate?
  /// How many rows to read at a time; 0 for all at once.
  ///
  /// Otherwise the fetch reads the objects' keys, and the first use of a fault reads the rows of its
  /// batch with one statement. The array is there at once with a fault for each object;
  /// `fetchLazily(_:)` spares these too. Where a batch cannot be read any more, as after an I/O error or the
  /// removal of its store, the use of its objects stops the program: reading an object or an element
  /// cannot throw. Source: documented, “fetchBatchSize”;
  /// docs/decisions/0006-batched-fetches.md.
  open var fetchBatchSize = 0
  /// Key paths of relationships whose destinations are read with the objects; nil for none.
  ///
  /// They are faults with their rows at hand, and live as long as the objects that lead to them.
  /// - Complexity: one statement for each relationship and level; two for a many-to-many.
  open var relationshipKeyPathsForPrefetching: [String]?
  /// Whether objects that the context has realised get the values of the store again, below their
  /// unsaved changes; false at first.
  open var shouldRefreshRefetchedObjects = false

  /// Fetches in the context whose block runs.
  ///
  /// - Throws: 134060 outside of one; what the fetch throws.
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

  override func answer(in context: NSManagedObjectContext) throws -> Any { try context.fetch(self) }

  /// A request with the same settings.
  open override func copy(with zone: NSZone? = nil) -> Any {
    NSFetchRequest<ResultType>(like: self)
  }

  /// A request with the settings of one for other results.
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

  /// Entity, predicate and order, and what differs from a new request.
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

  /// The entity in `model`; resolves a name.
  ///
  /// - Throws: 134060 for a name that the model does not have, and where there is none.
  package func resolve(in model: FrozenModel) throws -> EntityDefinition {
    if let resolved, resolved.frozen === model {
      return model.definition.entities[resolved.frozenIndex]
    }
    guard let name = resolved?.name ?? entityName else {
      throw coreDataError(
        NSCoreDataError,
        "A fetch request must have an entity: use NSFetchRequest(entityName:) or set its entity."
      )
    }
    guard let entity = model.definition.entity(named: name) else {
      throw coreDataError(
        NSCoreDataError,
        "The model has no entity named “\(name)”; it has "
          + model.definition.entities.map(\.name).joined(separator: ", ") + "."
      )
    }
    resolved = model.entities[entity.index]
    return entity
  }
}
