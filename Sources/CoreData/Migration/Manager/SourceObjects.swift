// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// The source objects of a mapping, which are read in batches.
struct SourceObjects {
  private let context: NSManagedObjectContext
  private let keys: [ObjectKey]
  private let options: FetchOptions
  /// The number of objects in a batch.
  let size: Int
  /// The value of a source expression that is not a fetch; nil for a fetch, whose objects are read in
  /// batches.
  private let given: [NSManagedObject]?

  /// - Throws: `NSMigrationError` if the source expression cannot be evaluated or does not evaluate to
  ///   managed objects, or if the fetch fails.
  init(_ plan: MappingPlan, _ manager: NSMigrationManager) throws {
    context = manager.sourceContext
    do {
      guard let request = try Self.request(plan, manager) else {
        let value = try plan.sourceValue()
        given = try Self.objects(value)
        (keys, options, size) = ([], FetchOptions(), Batches.usualSize)
        return
      }
      let fetch = try context.beginFetch(request)
      keys = try fetch.keys()
      options = fetch.options
      size = plan.source?.hasLargeValues == true ? Batches.smallSize : Batches.usualSize
      given = nil
    } catch {
      throw MigrationErrors.unevaluableSource(error, plan)
    }
  }

  /// Returns the request of the source expression; nil if the expression is not a fetch of objects.
  ///
  /// Without a source expression, returns a request for the objects of the source entity.
  private static func request(
    _ plan: MappingPlan,
    _ manager: NSMigrationManager
  ) throws -> NSFetchRequest<NSManagedObject>? {
    switch plan.mapping.sourceExpression?.term {
    case nil: return try manager.sourceRequest(entity: plan.mapping.sourceEntityName ?? "")
    case .fetch(let request, _, false)?:
      let value = try plan.value(PreparedTerm(request), nil, nil)
      guard case .opaque(let any) = value,
        let request = any as? NSFetchRequest<NSManagedObject>,
        request.resultType == .managedObjectResultType
      else { return nil }
      return request
    default: return nil
    }
  }

  private static func objects(_ value: Value) throws -> [NSManagedObject] {
    guard case .collection(let collection) = value else {
      throw EvaluationError(
        .invalidArgument,
        "The expression must evaluate to a collection of managed objects, not to \(value.kindName)"
      )
    }
    return try collection.members.map { member in
      guard case .object(let object) = member, let managed = object as? NSManagedObject else {
        throw EvaluationError(
          .invalidArgument,
          "The expression must evaluate to managed objects, but the collection contains \(member.kindName)"
        )
      }
      return managed
    }
  }

  var count: Int { given?.count ?? keys.count }

  func objects(_ range: Range<Int>) throws -> [NSManagedObject] {
    if let given { return Array(given[range]) }
    return try context.objects(ofBatch: Array(keys[range]), options)
  }
}

extension MappingPlan {
  fileprivate func sourceValue() throws -> Value {
    guard let term = mapping.sourceExpression?.term else { return .null }
    return try value(PreparedTerm(term), nil, nil)
  }
}

extension NSEntityDescription {
  fileprivate var hasLargeValues: Bool {
    attributesByName.values.contains(where: \.allowsExternalBinaryDataStorage)
  }
}
