// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Converts a fetch to the request that an incremental store executes, and converts the store's result to a
/// `FetchResult`.
struct IncrementalFetch {
  private let description: FetchDescription
  private let model: FrozenModel
  /// The program's request; nil if no request of the program caused the fetch.
  private let program: NSFetchRequest<NSFetchRequestResult>?

  init(
    _ description: FetchDescription,
    _ model: FrozenModel,
    like program: NSFetchRequest<NSFetchRequestResult>?
  ) {
    self.description = description
    self.model = model
    self.program = program
  }

  // MARK: Request

  /// Returns the request for `store`.
  ///
  /// A setting of the description overrides the same setting of the program's request, because the context
  /// may widen the fetch window or need only keys. All other settings are those of the program's request.
  func request(for store: NSPersistentStore) -> NSFetchRequest<NSFetchRequestResult> {
    let request = program.map { NSFetchRequest<NSFetchRequestResult>(like: $0) } ?? NSFetchRequest()
    request.entity = model.entities[description.entity]
    request.affectedStores = [store]
    request.includesSubentities = description.includesSubentities
    // The program's own predicate object is kept, because the store's class may inspect the predicate's
    // parts.
    if program?.predicate?.condition != description.condition {
      request.predicate = description.condition.map { NSPredicate.make($0) }
    }
    if program?.sortDescriptors?.map(\.sortKey) ?? [] != description.order {
      request.sortDescriptors = description.order.map { NSSortDescriptor($0) }
    }
    request.fetchLimit = description.limit
    request.fetchOffset = description.offset
    switch description.shape {
    case .rows: request.resultType = .managedObjectResultType
    case .keys: request.resultType = .managedObjectIDResultType
    case .count: request.resultType = .countResultType
    case .dictionaries(let shape):
      request.resultType = .dictionaryResultType
      if program?.resultType != .dictionaryResultType { setColumns(shape, of: request) }
    }
    return request
  }

  private func setColumns(
    _ shape: DictionaryShape,
    of request: NSFetchRequest<NSFetchRequestResult>
  ) {
    request.propertiesToFetch = shape.columns.map { column in
      if case .keyPath(column.name) = column.term { return column.name }
      return Self.column(column.name, column.term, column.type)
    }
    if !shape.groupBy.isEmpty {
      request.propertiesToGroupBy = shape.groupBy.map { term in
        if case .keyPath(let path) = term { return path }
        return Self.column(term.format, term, nil)
      }
    }
    request.havingPredicate = shape.having.map { NSPredicate.make($0) }
    request.returnsDistinctResults = shape.isDistinct
  }

  private static func column(
    _ name: String,
    _ term: Term,
    _ type: _CoreDataModel.AttributeType?
  ) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = NSExpression(term)
    if let type = type.flatMap({ NSAttributeType(rawValue: $0.rawValue) }) {
      column.expressionResultType = type
    }
    return column
  }

  // MARK: Results

  /// Returns the result of the fetch for the value that the store's class returned.
  ///
  /// - Throws: `NSPersistentStoreOperationError` if the value does not have the type that the request
  ///   specifies.
  func result(
    of found: Any,
    in context: NSManagedObjectContext,
    from store: NSPersistentStore
  ) throws -> FetchResult {
    if case .count = description.shape, let count = Self.count(found) { return .count(count) }
    guard let list = found as? [Any] ?? (found as? NSArray)?.map({ $0 }) else {
      throw wrong(store, "a value of the type \(type(of: found)). Return an array")
    }
    switch description.shape {
    case .rows: return .keys(try list.map { try key(of: $0, context, store) })
    case .keys: return .keys(try list.map { try key(of: $0, context, store) })
    case .count:
      guard list.count == 1, let count = Self.count(list[0]) else {
        throw wrong(store, "an array without a count. Return an array of one number")
      }
      return .count(count)
    case .dictionaries(let shape):
      return .dictionaries(try list.map { try row($0, shape, store) })
    }
  }

  private static func count(_ any: Any) -> Int? { (any as? NSNumber)?.intValue ?? any as? Int }

  private func key(
    of result: Any,
    _ context: NSManagedObjectContext,
    _ store: NSPersistentStore
  ) throws -> ObjectKey {
    if let object = result as? NSManagedObject, object.context === context { return object.key }
    let id = result as? NSManagedObjectID ?? (result as? NSManagedObject)?.objectID
    guard let id else {
      throw wrong(
        store,
        "a value of the type \(type(of: result)) among the results of a fetch. Return objects of "
          + "context.object(with:) or, if the request's resultType is managedObjectIDResultType, IDs"
      )
    }
    guard let key = context.localKey(id) else {
      throw wrong(
        store,
        "the ID \(id.uriRepresentation().absoluteString), whose store is not in the context's coordinator. "
          + "Create the IDs with newObjectID(for:referenceObject:)"
      )
    }
    return key
  }

  private func row(
    _ result: Any,
    _ shape: DictionaryShape,
    _ store: NSPersistentStore
  ) throws -> [Value] {
    guard let values = result as? [String: Any] ?? (result as? NSDictionary) as? [String: Any]
    else {
      throw wrong(
        store,
        "a value of the type \(type(of: result)) for a fetch of dictionaries. Return dictionaries with the "
          + "names of propertiesToFetch as keys"
      )
    }
    return shape.columns.map { column in
      let value = Value(any: values[column.name])
      if case .object(let object) = value, let key = object.objectKey { return .key(key) }
      return value
    }
  }

  private func wrong(_ store: NSPersistentStore, _ fault: String) -> NSError {
    CustomStoreErrors.wrongResult(store, "execute(_:with:)", fault)
  }
}
