// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  func results<T>(of request: NSFetchRequest<T>) throws -> [T] {
    checkQueue("fetch(_:)", request.subject)
    do {
      return try beginFetch(request).results(of: request)
    } catch {
      throw cocoaError(error)
    }
  }

  func countResults<T>(of request: NSFetchRequest<T>) throws -> Int {
    checkQueue("count(for:)", request.subject)
    do {
      return try beginFetch(request).resultCount()
    } catch {
      throw cocoaError(error)
    }
  }

  /// Returns the objects that match a description, with unsaved changes applied.
  ///
  /// - Throws: the stores' errors.
  func objects(matching description: FetchDescription) throws -> [NSManagedObject] {
    try FetchSession(description, in: self).objects()
  }

  /// Ends the change event, executes a child's fetch in this context, and returns the result of the fetch
  /// with this context's unsaved changes applied.
  ///
  /// As in every fetch, dictionaries show only saved values.
  func fetchForChild(_ description: FetchDescription) throws -> FetchResult {
    endChangeEvent()
    let session = FetchSession(description, in: self)
    switch description.shape {
    case .rows:
      let objects = try session.objects()
      try readRows(of: objects)
      return .rows(graph.copyRows(of: objects))
    case .keys: return .keys(try session.keys())
    case .count: return .count(try session.count())
    case .dictionaries(let shape): return .dictionaries(try session.dictionaryRows(shape))
    }
  }

  /// Reads the rows of the objects that have no row, because a custom store has returned only their keys.
  private func readRows(of objects: [NSManagedObject]) throws {
    let faults = objects.filter(\.isRowless)
    for (_, faults) in Dictionary(grouping: faults, by: \.key.store) {
      _ = register(try loadRows(faults.map(\.key)))
    }
  }

  /// Registers the request's element class, ends the change event if unsaved changes are included, and
  /// creates the session of the fetch.
  ///
  /// Stops the program if the context has no coordinator.
  /// - Throws: `NSCoreDataError` (134060) and `StoreError.invalidRequest` for an invalid request.
  func beginFetch<T>(
    _ request: NSFetchRequest<T>,
    control: FetchControl? = nil
  ) throws -> FetchSession {
    guard let frozenModel else {
      if let name = request.entityName { Misuse.contextHasNoModel(entityName: name) }
      Misuse.contextHasNoCoordinator(self)
    }
    let entity = try request.resolve(in: frozenModel)
    registerClass(T.self, of: entity, frozenModel)
    if request.includesPendingChanges { endChangeEvent() }
    var description = try request.description(of: entity, in: frozenModel.definition)
    description.control = control
    var options = try request.options(of: entity, in: frozenModel.definition)
    if coordinator?.hasStoresOfProgram == true {
      options.request = NSFetchRequest<NSFetchRequestResult>(like: request)
    }
    return FetchSession(description, in: self, options: options)
  }

  /// Registers the request's element class as the class of the request's entity, unless the entity already
  /// has a class.
  private func registerClass<T>(
    _ type: T.Type,
    of entity: EntityDefinition,
    _ model: FrozenModel
  ) {
    guard let type = type as? NSManagedObject.Type, type != NSManagedObject.self else { return }
    if model.classIfRegistered(at: entity.index) == nil {
      ManagedObjectClasses.register(type)
    }
  }
}

extension NSFetchRequest {
  /// Describes the request by its entity, in reports of calls off the context's queue.
  var subject: String {
    entityName.map { "a request for the entity \($0)" } ?? "a request without an entity"
  }
}
