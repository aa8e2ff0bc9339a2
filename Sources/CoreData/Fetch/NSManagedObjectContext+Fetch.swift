// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// A fetch: description, stores, rows, objects, unsaved changes on top.
extension NSManagedObjectContext {
  func results<T>(of request: NSFetchRequest<T>, control: FetchControl? = nil) throws -> [T] {
    checkQueue("fetch(_:)", request.subject)
    do {
      let fetch = try prepared(request, control)
      switch request.resultType {
      case .countResultType:
        return try cast([NSNumber(value: try count(fetch.description, fetch.manner))], request)
      case .dictionaryResultType: return try cast(dictionaries(fetch.description), request)
      case .managedObjectIDResultType:
        return try cast(keys(fetch.description, fetch.manner).map { id(for: $0) }, request)
      default: return try typed(objects(fetch.description, fetch.manner), request)
      }
    } catch {
      throw cocoaError(error)
    }
  }

  func countResults<T>(of request: NSFetchRequest<T>) throws -> Int {
    checkQueue("count(for:)", request.subject)
    do {
      let fetch = try prepared(request)
      guard case .dictionaries(let shape) = fetch.description.shape else {
        return try count(fetch.description, fetch.manner)
      }
      // As many as a fetch gives, which shows the store alone.
      if !shape.isPlain || shape.isDistinct {
        return try dictionaryRows(fetch.description, shape).count
      }
      var manner = fetch.manner
      manner.includesUnsaved = false
      return try count(fetch.description, manner)
    } catch {
      throw cocoaError(error)
    }
  }

  /// A request as the core and the context understand it.
  struct PreparedFetch {
    let entity: EntityDefinition
    let description: FetchDescription
    let manner: FetchManner
  }

  /// Resolves the request's entity, and processes pending changes where they count.
  func prepared<T>(
    _ request: NSFetchRequest<T>,
    _ control: FetchControl? = nil
  ) throws -> PreparedFetch {
    guard let frozenModel else { Misuse.contextHasNoModel(entityName: request.entityName ?? "") }
    let entity = try request.resolve(in: frozenModel)
    bind(T.self, to: entity, frozenModel)
    if request.includesPendingChanges { endChangeEvent() }
    var description = try request.description(of: entity, in: frozenModel.definition)
    description.control = control
    let manner = try request.manner(of: entity, in: frozenModel.definition)
    return PreparedFetch(entity: entity, description: description, manner: manner)
  }

  /// A class that a request names is the class of its entity's objects, where the model agrees.
  private func bind<T>(_ type: T.Type, to entity: EntityDefinition, _ model: FrozenModel) {
    guard let type = type as? NSManagedObject.Type, type != NSManagedObject.self else { return }
    if model.knownClass(at: entity.index) == nil {
      ManagedObjectClasses.register(type)
    }
  }

  func cast<T>(_ results: [NSObject], _ request: NSFetchRequest<T>) throws -> [T] {
    if let results = results as? [T] { return results }
    let found = results.first { !($0 is T) }.map { "\(Swift.type(of: $0))" } ?? "?"
    throw wrongType(found, request)
  }

  func wrongType<T>(_ found: String, _ request: NSFetchRequest<T>) -> NSError {
    coreDataError(
      NSCoreDataError,
      "The request's results are \(found), not \(T.self).",
      "Name the result type that belongs to resultType, and give the entity "
        + "“\(request.entityName ?? "")” a class that the program has."
    )
  }

  /// The objects as the request's result type, each class checked once.
  func typed<T>(_ objects: [NSManagedObject], _ request: NSFetchRequest<T>) throws -> [T] {
    var checked: AnyClass = NSNull.self
    for object in objects where Swift.type(of: object) != checked {
      guard object is T else { return try cast(objects, request) }
      checked = Swift.type(of: object)
    }
    // Every element is a T, and arrays of classes have one layout.
    return unsafeBitCast(objects, to: [T].self)
  }

  // MARK: Dictionaries

  private func dictionaries(_ description: FetchDescription) throws -> [NSDictionary] {
    guard case .dictionaries(let shape) = description.shape else { return [] }
    let sealed = transformables(shape, of: description.entity)
    return try dictionaryRows(description, shape).map { dictionary(shape, $0, sealed) }
  }

  /// The rows of a dictionary fetch; of several stores together.
  func dictionaryRows(
    _ description: FetchDescription,
    _ shape: DictionaryShape
  ) throws -> [[Value]] {
    let stores = try sources(description)
    if stores.count > 1 { return try unitedRows(description, shape, of: stores) }
    return try stores.first.map { try rows(description, shape, in: $0) } ?? []
  }

  private func rows(
    _ description: FetchDescription,
    _ shape: DictionaryShape,
    in store: any RowOrigin
  ) throws -> [[Value]] {
    do {
      guard case .dictionaries(let rows) = try store.fetch(description) else { return [] }
      return rows
    } catch let error as StoreError where error.code == .unsayable {
      return try remainingDictionaries(description, shape, in: store, failure: error)
    }
  }

  /// The transformable attributes among the columns, by the columns' places.
  private func transformables(
    _ shape: DictionaryShape,
    of entity: Int
  ) -> [Int: PropertyDefinition] {
    var found: [Int: PropertyDefinition] = [:]
    for (place, column) in shape.columns.enumerated() {
      guard case .keyPath(let path) = column.term else { continue }
      var owner = registry.model.entities[entity]
      for key in path.split(separator: ".") {
        guard let property = owner.property(named: String(key)) else { break }
        if property.attribute?.type == .transformable { found[place] = property }
        if let relationship = property.relationship {
          owner = registry.model.entities[relationship.destination]
        }
      }
    }
    return found
  }

  private func dictionary(
    _ shape: DictionaryShape,
    _ row: [Value],
    _ sealed: [Int: PropertyDefinition]
  ) -> NSDictionary {
    let dictionary = NSMutableDictionary()
    for (place, (column, value)) in zip(shape.columns, row).enumerated() {
      if case .key(let key) = value {
        dictionary[column.name] = id(for: key)
      } else if let property = sealed[place], case .data(let data) = value {
        dictionary[column.name] = Transformable.object(from: data, property) ?? data
      } else if let any = value.any {
        dictionary[column.name] = any
      }
    }
    return dictionary
  }

  // MARK: Counting

  func count(_ description: FetchDescription, _ manner: FetchManner) throws -> Int {
    let window = FetchWindow(description)
    if manner.includesUnsaved, try !unsaved(description).isEmpty {
      // The order decides which, not how many.
      var all = description
      (all.order, all.limit, all.offset) = ([], 0, 0)
      return window.size(of: try keys(all, manner).count)
    }
    var counting = description
    counting.shape = .count
    let sources = try sources(description)
    if sources.count > 1 { (counting.limit, counting.offset) = (0, 0) }
    var total = 0
    for store in sources {
      do {
        if case .count(let count) = try store.fetch(counting) { total += count }
      } catch let error as StoreError where error.code == .unsayable {
        var rows = counting
        rows.shape = .rows
        total += try read(store, rows, manner).count
      }
    }
    return sources.count > 1 ? window.size(of: total) : total
  }
}
