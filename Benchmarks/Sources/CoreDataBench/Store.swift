// SPDX-License-Identifier: Apache-2.0

import CoreData

/// An index that a workload adds to the model.
enum ModelIndex: String {
  case none = ""
  /// The name alone.
  case name = "-name"
  /// Zone, wins from the most, name: the order of the sorted workloads.
  case order = "-idx"
}

/// A coordinator with one open store of the bench's model.
final class Store {
  let coordinator: NSPersistentStoreCoordinator
  private let options: [AnyHashable: Any]

  /// Opens the store; with `leavesPlayers`, deleting a team touches no player.
  convenience init(
    _ path: String,
    index: ModelIndex = .none,
    isFull: Bool = false,
    leavesPlayers: Bool = false
  ) throws {
    let model = try Self.model(index)
    if leavesPlayers {
      let players = model.entitiesByName["Team"]?.relationshipsByName["players"]
      players?.deleteRule = .noActionDeleteRule
    }
    try self.init(path, model, isFull: isFull)
  }

  /// Opens the store with any model; with `migrates`, an inferred mapping migrates it first.
  init(
    _ path: String,
    _ model: NSManagedObjectModel,
    isFull: Bool = false,
    migrates: Bool = false
  ) throws {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let pragmas: NSDictionary = ["synchronous": isFull ? "FULL" : "NORMAL"]
    options = [
      NSSQLitePragmasOption: pragmas,
      NSMigratePersistentStoresAutomaticallyOption: migrates,
      NSInferMappingModelAutomaticallyOption: migrates,
    ]
    _ = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: URL(fileURLWithPath: path),
      options: options
    )
  }

  /// Opens a new store in a schema of a PostgreSQL database; what the schema has of a store is dropped first.
  init(server: URL, schema: String) throws {
    options = [PostgreSQLSchemaOption: schema]
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.model())
    try coordinator.destroyPersistentStore(at: server, type: .postgreSQL, options: options)
    _ = try coordinator.addPersistentStore(type: .postgreSQL, at: server, options: options)
  }

  /// A context that knows nothing yet.
  func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  func close() throws {
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  /// Closes the store and destroys it.
  func destroy() throws {
    for store in coordinator.persistentStores {
      guard let url = store.url else { continue }
      let type = NSPersistentStore.StoreType(rawValue: store.type)
      try coordinator.remove(store)
      try coordinator.destroyPersistentStore(at: url, type: type, options: options)
    }
  }

  /// The ID of the object of `entity` with a primary key.
  func objectID(_ entity: String, _ number: Int) throws -> NSManagedObjectID {
    guard let identifier = coordinator.persistentStores.first?.identifier,
      let url = URL(string: "x-coredata://\(identifier)/\(entity)/p\(number)"),
      let id = coordinator.managedObjectID(forURIRepresentation: url)
    else { throw BenchError.noSuchObject(entity, number) }
    return id
  }

  /// `count * 1000 + sum(wins)` of all teams, or of all objects of another entity with wins.
  func sumCheck(_ entity: String = "Team") throws -> String {
    let context = context()
    return try context.performAndWait {
      let request = Aggregate.request(
        entity: entity,
        [
          Aggregate.column("sum:", of: "wins"), Aggregate.column("count:", of: "wins"),
        ]
      )
      let row = try context.fetch(request).first
      return "\(Aggregate.integer(row, "count:wins") * 1000 + Aggregate.integer(row, "sum:wins"))"
    }
  }

  /// The model of the templates.
  static func model(_ index: ModelIndex = .none) throws -> NSManagedObjectModel {
    let model = try BenchVersion.bench.model()
    guard let team = model.entitiesByName["Team"] else { throw BenchError.noModel }
    let elements = try index.keys.map { key, isAscending in
      guard let property = team.propertiesByName[key] else { throw BenchError.noModel }
      let element = NSFetchIndexElementDescription(property: property, collationType: .binary)
      element.isAscending = isAscending
      return element
    }
    if !elements.isEmpty {
      team.indexes = [NSFetchIndexDescription(name: "byBench", elements: elements)]
    }
    return model
  }
}

extension ModelIndex {
  fileprivate var keys: [(key: String, isAscending: Bool)] {
    switch self {
    case .none: []
    case .name: [("teamName", true)]
    case .order: [("qualifyingZone", true), ("wins", false), ("teamName", true)]
    }
  }
}

/// The versions of the model.
enum BenchVersion: String {
  /// The model of the templates.
  case bench = "Bench"
  /// Teams have one more attribute, with a default.
  case added = "BenchAdded"
  /// Teams have two attributes less, and the index of `ModelIndex.order`.
  case narrow = "BenchNarrow"
  /// Teams are clubs, as the relationship of players says, and have the index of `ModelIndex.order`.
  case club = "BenchClub"
  /// Clubs have other names for two attributes; nothing can be inferred.
  case policy = "BenchPolicy"

  func model() throws -> NSManagedObjectModel {
    let folder = Bundle.module.url(forResource: "Bench", withExtension: "xcdatamodeld")
    guard let url = folder?.appendingPathComponent("\(rawValue).xcdatamodel"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { throw BenchError.noModel }
    return model
  }
}

enum BenchError: Error {
  case noModel
  /// `COREDATA_POSTGRES_URL` is not the URL of a database.
  case noServer
  case noSuchObject(String, Int)
  case templateFailed(Int32)
}

extension NSManagedObject {
  /// The primary key of the object's row.
  var rowNumber: Int {
    Int(objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
  }
}

extension Team {
  /// A new team with the values of row `row`.
  convenience init(row: Int, in context: NSManagedObjectContext) {
    self.init(Generator(row: row), in: context)
  }

  convenience init(_ values: Generator, in context: NSManagedObjectContext) {
    self.init(context: context)
    wins = values.wins
    founded = values.founded
    teamName = values.name
    qualifyingZone = values.zone
    imageName = values.image
  }

  /// Reads every attribute; gives the lengths of the texts.
  @inline(never)
  func readAll() -> Int {
    Int(truncatingIfNeeded: wins) &+ Int(founded) &+ textLength
  }

  var textLength: Int {
    (teamName?.utf8.count ?? 0) + (qualifyingZone?.utf8.count ?? 0) + (imageName?.utf8.count ?? 0)
  }
}
