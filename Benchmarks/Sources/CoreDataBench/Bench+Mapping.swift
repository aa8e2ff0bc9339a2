// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The policy of M4: sets the attributes of the mapping, and a title.
final class ClubPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    let clubs = manager.destinationInstances(
      forEntityMappingName: mapping.name,
      sourceInstances: [source]
    )
    let name = source.value(forKey: "teamName") as? String ?? ""
    clubs.first?.setValue("FC " + name, forKey: "title")
  }
}

/// Migrations with a mapping model and `NSMigrationManager`.
extension Bench {
  /// M4: migrates all teams and players of the template; a policy creates the clubs.
  mutating func migrateWithPolicy() throws {
    try migrate(
      try template.ready(),
      from: Store.model(),
      to: BenchVersion.policy.model(),
      clubs: ["wins", "founded", "imageName"]
    )
  }

  /// M4 with rows of 4,000 bytes, to measure the memory.
  mutating func migrateWide() throws {
    try migrate(
      try template.readyWide(),
      from: WideRows.add(to: Store.model(), "Team"),
      to: WideRows.add(to: BenchVersion.policy.model(), "Club"),
      clubs: ["wins", "founded", "imageName", WideRows.key]
    )
  }

  private mutating func migrate(
    _ path: String,
    from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel,
    clubs: [String]
  ) throws {
    let mapping = Self.mappingModel(clubs)
    let target = URL(fileURLWithPath: work)
    for _ in 0..<options.repetitions {
      removeWork()
      try measurement.time {
        try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
          from: URL(fileURLWithPath: path),
          type: .sqlite,
          mapping: mapping,
          to: target,
          type: .sqlite
        )
      }
      let store = try Store(work, destination)
      measurement.check = try store.sumCheck("Club") + ":" + Self.links(store)
      try store.close()
    }
  }

  /// Returns the number of players with a club, and the number of clubs with a title that the policy set.
  private static func links(_ store: Store) throws -> String {
    let context = store.context()
    return try context.performAndWait {
      let players = NSFetchRequest<NSManagedObject>(entityName: "Player")
      players.predicate = NSPredicate(format: "club != nil")
      let clubs = NSFetchRequest<NSManagedObject>(entityName: "Club")
      clubs.predicate = NSPredicate(format: "title BEGINSWITH 'FC '")
      return "\(try context.count(for: players)):\(try context.count(for: clubs))"
    }
  }

  /// The mappings Team → Club, with a policy, and Player → Player, with expressions such as Xcode writes.
  private static func mappingModel(_ clubs: [String]) -> NSMappingModel {
    func property(_ name: String, _ expression: String) -> NSPropertyMapping {
      let mapping = NSPropertyMapping()
      mapping.name = name
      mapping.valueExpression = NSExpression(format: expression)
      return mapping
    }
    func instances(_ mapping: String, _ path: String) -> String {
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
        + "\"\(mapping)\", \(path))"
    }
    func mapping(_ name: String, _ source: String, _ destination: String) -> NSEntityMapping {
      let mapping = NSEntityMapping()
      mapping.name = name
      mapping.mappingType = .transformEntityMappingType
      mapping.sourceEntityName = source
      mapping.destinationEntityName = destination
      return mapping
    }
    let club = mapping("TeamToClub", "Team", "Club")
    club.mappingType = .customEntityMappingType
    club.entityMigrationPolicyClassName = MigrationPolicyClasses.name(of: ClubPolicy.self)
    club.attributeMappings =
      clubs.map { property($0, "$source.\($0)") } + [property("zone", "$source.qualifyingZone")]
    club.relationshipMappings = [
      property("players", instances("PlayerToPlayer", "$source.players"))
    ]
    let player = mapping("PlayerToPlayer", "Player", "Player")
    player.attributeMappings = ["name", "number"].map { property($0, "$source.\($0)") }
    player.relationshipMappings = [property("club", instances("TeamToClub", "$source.team"))]
    let model = NSMappingModel()
    model.entityMappings = [club, player]
    return model
  }
}

/// Rows with data of 2,000 bytes and a text of 2,000 bytes.
enum WideRows {
  static let suffix = "-wide"
  static let key = "photo"
  static let size = 2_000

  /// Adds the attribute of the data to a model.
  static func add(to model: NSManagedObjectModel, _ entity: String) throws -> NSManagedObjectModel {
    guard let entity = model.entitiesByName[entity] else { throw BenchError.noModel }
    let photo = NSAttributeDescription()
    photo.name = key
    photo.attributeType = .binaryDataAttributeType
    photo.isOptional = true
    entity.properties += [photo]
    return model
  }
}

extension Template {
  private var widePath: String { "\(options.folder)/ours-team-\(options.count)-wide.sqlite" }

  func readyWide() throws -> String { try ready(widePath, suffix: WideRows.suffix) }

  /// Fills a new store with N wide teams.
  func makeWide() throws {
    let part = widePath + ".part\(ProcessInfo.processInfo.processIdentifier)"
    let store = try Store(part, WideRows.add(to: Store.model(), "Team"))
    let context = store.context()
    try context.performAndWait {
      for first in stride(from: 1, through: options.count, by: 1_000) {
        for row in first...min(first + 999, options.count) {
          let team = Team(row: row, in: context)
          team.imageName = String(repeating: "x", count: WideRows.size)
          let photo = Data(repeating: UInt8(truncatingIfNeeded: row), count: WideRows.size)
          team.setValue(photo, forKey: WideRows.key)
        }
        try context.save()
        context.reset()
      }
    }
    try store.close()
    try FileManager.default.moveItem(atPath: part, toPath: widePath)
  }
}
