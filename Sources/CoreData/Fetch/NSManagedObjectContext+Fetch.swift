// SPDX-License-Identifier: Apache-2.0

import CoreDataGraph
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// A fetch: description, stores, rows, objects, unsaved changes on top.
extension NSManagedObjectContext {
  func results<T>(of request: NSFetchRequest<T>) throws -> [T] {
    checkQueue("fetch(_:)", request.subject)
    guard let frozenModel else { Misuse.contextHasNoModel(entityName: request.entityName ?? "") }
    do {
      let entity = try request.resolve(in: frozenModel)
      bind(T.self, to: entity, frozenModel)
      if request.includesPendingChanges { processChanges() }
      let description = try request.description(of: entity)
      switch request.resultType {
      case .countResultType:
        return try cast([NSNumber(value: try count(description, request, entity))], request)
      case .dictionaryResultType: return try cast(dictionaries(description, entity), request)
      case .managedObjectIDResultType:
        return try cast(
          objects(description, request, entity).map(\.objectID),
          request
        )
      default: return try typed(objects(description, request, entity), request)
      }
    } catch {
      throw cocoaError(error)
    }
  }

  func countResults<T>(of request: NSFetchRequest<T>) throws -> Int {
    checkQueue("count(for:)", request.subject)
    guard let frozenModel else { Misuse.contextHasNoModel(entityName: request.entityName ?? "") }
    do {
      let entity = try request.resolve(in: frozenModel)
      if request.includesPendingChanges { processChanges() }
      return try count(request.description(of: entity), request, entity)
    } catch {
      throw cocoaError(error)
    }
  }

  /// A class that a request names is the class of its entity's objects, where the model agrees.
  private func bind<T>(_ type: T.Type, to entity: EntityDefinition, _ model: FrozenModel) {
    guard let type = type as? NSManagedObject.Type, type != NSManagedObject.self else { return }
    if model.managedObjectClass(at: entity.index) == NSManagedObject.self {
      ManagedObjectClasses.register(type)
    }
  }

  private func cast<T>(_ results: [NSObject], _ request: NSFetchRequest<T>) throws -> [T] {
    if let results = results as? [T] { return results }
    let found = results.first { !($0 is T) }.map { "\(Swift.type(of: $0))" } ?? "?"
    throw coreDataError(
      NSCoreDataError,
      "The request's results are \(found), not \(T.self).",
      "Name the result type that belongs to resultType, and give the entity "
        + "“\(request.entityName ?? "")” a class that the program has."
    )
  }

  /// The objects as the request's result type, each class checked once.
  private func typed<T>(_ objects: [NSManagedObject], _ request: NSFetchRequest<T>) throws -> [T] {
    var checked: AnyClass = NSNull.self
    for object in objects where Swift.type(of: object) != checked {
      guard object is T else { return try cast(objects, request) }
      checked = Swift.type(of: object)
    }
    // Every element is a T, and arrays of classes have one layout.
    return unsafeBitCast(objects, to: [T].self)
  }

  // MARK: Stores

  private func dictionaries(
    _ description: FetchDescription,
    _ entity: EntityDefinition
  ) throws -> [NSDictionary] {
    guard case .dictionaries(let shape) = description.shape else { return [] }
    var results: [NSDictionary] = []
    for store in try sources(entity) {
      for row in try rows(description, shape, in: store) { results.append(dictionary(shape, row)) }
    }
    return results
  }

  func rows(
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

  private func dictionary(_ shape: DictionaryShape, _ row: [Value]) -> NSDictionary {
    let dictionary = NSMutableDictionary()
    for (column, value) in zip(shape.columns, row) {
      if case .key(let key) = value {
        dictionary[column.name] = object(for: key).objectID
      } else if let any = value.any {
        dictionary[column.name] = any
      }
    }
    return dictionary
  }

  func count<T>(
    _ description: FetchDescription,
    _ request: NSFetchRequest<T>,
    _ entity: EntityDefinition
  ) throws -> Int {
    if request.includesPendingChanges && hasUnsaved(entity, description) {
      var rows = description
      rows.shape = .rows
      return try objects(rows, request, entity).count
    }
    var counting = description
    counting.shape = .count
    var total = 0
    for store in try sources(entity) {
      do {
        if case .count(let count) = try store.fetch(counting) { total += count }
      } catch let error as StoreError where error.code == .unsayable {
        total += try read(
          store,
          description,
          realizing: false,
          pending: request.includesPendingChanges
        ).count
      }
    }
    return total
  }

  // MARK: Objects

  func objects<T>(
    _ description: FetchDescription,
    _ request: NSFetchRequest<T>,
    _ entity: EntityDefinition
  ) throws -> [NSManagedObject] {
    let stores = try sources(entity)
    let pending = request.includesPendingChanges
    let realizing = !request.returnsObjectsAsFaults
    let unsaved = pending ? unsaved(entity, description) : []
    if stores.count == 1 && unsaved.isEmpty {
      return try read(stores[0], description, realizing: realizing, pending: pending)
    }
    // Unsaved changes and other stores can move results in and out of the window: read enough rows
    // from the start for it to be exact, then cut it.
    var whole = description
    whole.offset = 0
    if description.limit > 0 {
      whole.limit = description.limit + description.offset + unsaved.count
    }
    var objects: [NSManagedObject] = []
    for store in stores {
      objects += try read(store, whole, realizing: realizing, pending: pending)
    }
    if !unsaved.isEmpty { objects = try overlay(objects, unsaved, description) }
    if !description.order.isEmpty { objects = try sorted(objects, description.order) }
    objects = Array(objects.dropFirst(description.offset))
    return description.limit > 0 ? Array(objects.prefix(description.limit)) : objects
  }

  /// One statement; an object for each row.
  private func read(
    _ store: any RowOrigin,
    _ description: FetchDescription,
    realizing: Bool,
    pending: Bool
  ) throws -> [NSManagedObject] {
    do {
      switch try store.fetch(description) {
      case .rows(let rows): return register(rows, realizing: realizing)
      case .keys(let keys): return keys.map { object(for: $0) }
      default: return []
      }
    } catch let error as StoreError where error.code == .unsayable {
      let divided = try store.divided(description)
      if pending || !graph.hasChanges {
        return try remainder(divided, of: description, in: store, realizing: realizing)
      }
      let keys = try storedRemainder(divided, of: description, in: store)
      return withExtendedLifetime(keys) { keys.map { object(for: $0) } }
    }
  }

  /// The objects of rows: known ones as they are, faults with their new rows, new faults.
  func register(_ rows: FetchedRows, realizing: Bool) -> [NSManagedObject] {
    let registry = registry
    let maker = FaultMaker(self)
    // The first fetch of a context meets no known object, and a store gives each row once.
    let knowsObjects = registry.count > 0
    registry.reserve(rows.keys.count)
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(rows.keys.count)
    rows.forEach { key, chunk, row in
      if knowsObjects, let known = registry.object(for: key) {
        // Realised values are the context's own; a fetch does not touch them.
        if known.flags.contains(.fault) { graph.fill(known, from: chunk, row: row) }
        objects.append(Self.managed(known))
      } else {
        let made = maker.make(key)
        made.place(at: chunk, row: row)
        registry.register(made)
        objects.append(made)
      }
    }
    if retainsRegisteredObjects { for object in objects { graph.keep(object) } }
    if realizing { for object in objects { graph.realizeFromRow(object) } }
    return objects
  }

  // MARK: Unsaved changes

  private func hasUnsaved(_ entity: EntityDefinition, _ description: FetchDescription) -> Bool {
    !unsaved(entity, description).isEmpty
  }

  /// Unsaved objects that the description could be about.
  private func unsaved(
    _ entity: EntityDefinition,
    _ description: FetchDescription
  ) -> [NSManagedObject] {
    guard graph.hasChanges else { return [] }
    let changed = graph.inserted + graph.updated + graph.deleted
    // A condition on a path can be about objects of other entities.
    return changed.filter { object in
      description.includesSubentities
        ? entity.family.contains(object.key.entity) : object.key.entity == entity.index
    }.map(Self.managed)
  }

  /// Takes out what was deleted or stopped to match, and adds what matches now.
  private func overlay(
    _ objects: [NSManagedObject],
    _ unsaved: [NSManagedObject],
    _ description: FetchDescription
  ) throws -> [NSManagedObject] {
    let changed = Set(unsaved.map(ObjectIdentifier.init))
    var results = objects.filter { !changed.contains(ObjectIdentifier($0)) }
    for object in unsaved where !object.isDeleted {
      if try description.condition?.evaluate(with: .object(object)) ?? true {
        results.append(object)
      }
    }
    return results
  }

  private func sorted(_ objects: [NSManagedObject], _ order: [SortKey]) throws -> [NSManagedObject]
  {
    try SortOrder(order).sorted(objects) { .object($0) }
  }
}

/// Makes faults of a context, with each entity's class looked up once.
struct FaultMaker {
  private let context: NSManagedObjectContext
  private let entries: Entries

  private final class Entries {
    @exclusivity(unchecked) var known: [Entry?]
    init(_ count: Int) { known = Array(repeating: nil, count: count) }
  }
  private struct Entry {
    let type: NSManagedObject.Type
    let entity: NSEntityDescription
    let flags: ObjectFlags
  }

  init(_ context: NSManagedObjectContext) {
    self.context = context
    entries = Entries(context.registry.model.entities.count)
  }

  func make(_ key: ObjectKey) -> NSManagedObject {
    let entry = entries.known[key.entity] ?? look(up: key.entity)
    return context.makeFault(key, entry.type, entry.entity, entry.flags)
  }

  private func look(up index: Int) -> Entry {
    guard let model = context.frozenModel else { Misuse.contextHasNoModel(entityName: "") }
    let type = model.managedObjectClass(at: index)
    let entry = Entry(
      type: type,
      entity: model.entities[index],
      flags: model.flags(of: type, at: index).union(.fault)
    )
    entries.known[index] = entry
    return entry
  }
}
