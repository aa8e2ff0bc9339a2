// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A nation whose class computes how it is filed.
final class ComputedNation: NSManagedObject {
  nonisolated(unsafe) static var asked = 0
  override class var computedProperties: [String: Computed] {
    [
      "initial": { nation in
        asked += 1
        return (nation.value(forKey: "name") as? String).map { String($0.prefix(1)) }
      }
    ]
  }
}

/// Nations in zones, some of them champions (a sub-entity), in a store in memory or in a file.
// Unchecked: used on its context's queue only.
final class ResultsFixture: @unchecked Sendable {
  let container: NSPersistentContainer
  let context: NSManagedObjectContext

  init(file: URL? = nil) throws {
    container = NSPersistentContainer(name: "Nations", managedObjectModel: Self.model())
    let description = NSPersistentStoreDescription()
    description.type = file == nil ? NSInMemoryStoreType : NSSQLiteStoreType
    description.url = file
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    context = container.newBackgroundContext()
  }

  /// Closes the store, as the end of a program does.
  func close() throws {
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }

  static func model() -> NSManagedObjectModel {
    let zone = NSEntityDescription()
    zone.name = "Zone"
    let label = attribute("label", .stringAttributeType)
    let nations = NSRelationshipDescription()
    nations.name = "nations"
    zone.properties = [label, attribute("note", .stringAttributeType), nations]
    let nation = NSEntityDescription()
    nation.name = "Nation"
    nation.managedObjectClassName = "CoreDataTests.ComputedNation"
    let home = NSRelationshipDescription()
    home.name = "home"
    home.maxCount = 1
    home.destinationEntity = zone
    home.inverseRelationship = nations
    nations.destinationEntity = nation
    nations.inverseRelationship = home
    nation.properties = [
      attribute("name", .stringAttributeType), attribute("zone", .stringAttributeType),
      attribute("wins", .integer32AttributeType), attribute("score", .doubleAttributeType), home,
    ]
    let champion = NSEntityDescription()
    champion.name = "Champion"
    champion.properties = [attribute("titles", .integer32AttributeType)]
    nation.subentities = [champion]
    let model = NSManagedObjectModel()
    model.entities = [zone, nation, champion]
    return model
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  func addZone(_ label: String) -> NSManagedObject {
    let zone = NSEntityDescription.insertNewObject(forEntityName: "Zone", into: context)
    zone.setValue(label, forKey: "label")
    return zone
  }

  @discardableResult
  func add(
    _ name: String,
    _ zone: String?,
    _ wins: Int,
    entity: String = "Nation",
    home: NSManagedObject? = nil
  ) -> NSManagedObject {
    let nation = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    if let home { nation.setValue(home, forKey: "home") }
    nation.setValue(name, forKey: "name")
    nation.setValue(zone, forKey: "zone")
    nation.setValue(wins, forKey: "wins")
    return nation
  }

  /// Saved: a and b in Asia, c and d in Europe.
  func addFour() throws -> [NSManagedObject] {
    let four = [
      add("a", "Asia", 5), add("b", "Asia", 3), add("c", "Europe", 9), add("d", "Europe", 1),
    ]
    try context.save()
    return four
  }

  /// A fetched controller over four nations, with a recorder; on the context's queue.
  func followed(
    _ request: NSFetchRequest<NSManagedObject>? = nil,
    sections: String? = "zone",
    _ body: (
      NSFetchedResultsController<NSManagedObject>, ResultsRecorder, [NSManagedObject]
    ) throws -> Void
  ) throws {
    try context.performAndWait {
      let four = try addFour()
      let (controller, recorder) = try recorded(request, sections: sections)
      try body(controller, recorder, four)
    }
  }

  /// A fetched controller, and who writes down what it tells.
  func recorded(
    _ request: NSFetchRequest<NSManagedObject>? = nil,
    sections: String? = "zone"
  ) throws -> (NSFetchedResultsController<NSManagedObject>, ResultsRecorder) {
    let controller = controller(request, sections: sections)
    let recorder = ResultsRecorder(controller)
    controller.delegate = recorder
    try controller.performFetch()
    return (controller, recorder)
  }

  func request(_ keys: [(String, Bool)]? = nil) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Nation")
    let keys = keys ?? [("zone", true), ("wins", false), ("name", true)]
    request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
    return request
  }

  func controller(
    _ request: NSFetchRequest<NSManagedObject>? = nil,
    sections: String? = "zone",
    in context: NSManagedObjectContext? = nil,
    cache: String? = nil
  ) -> NSFetchedResultsController<NSManagedObject> {
    NSFetchedResultsController(
      fetchRequest: request ?? self.request(),
      managedObjectContext: context ?? self.context,
      sectionNameKeyPath: sections,
      cacheName: cache
    )
  }
}

func name(_ object: Any?) -> String {
  let object = object as? NSManagedObject
  let key = object?.entity.name == "Zone" ? "label" : "name"
  return object?.value(forKey: key) as? String ?? "?"
}

/// The content as text: `Asia: a b | Europe: c`.
func text(_ controller: NSFetchedResultsController<NSManagedObject>) -> String {
  (controller.sections ?? []).map { section in
    "\(section.name): " + (section.objects ?? []).map { name($0) }.joined(separator: " ")
  }.joined(separator: " | ")
}

/// Writes down what a controller tells, and the content at that time.
final class ResultsRecorder: NSFetchedResultsControllerDelegate {
  var events: [String] = []
  var isSame = true
  unowned let expected: AnyObject
  var willChange: (NSFetchedResultsController<NSFetchRequestResult>) -> Void = { _ in }

  init(_ controller: AnyObject) { expected = controller }

  /// The events since the last time.
  func removeEvents() -> [String] {
    defer { events = [] }
    return events
  }

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    isSame = isSame && controller === expected
    events.append("will")
    willChange(controller)
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    func path(_ path: IndexPath?) -> String { path.map { "\($0.section).\($0.row)" } ?? "-" }
    events.append("\(type) \(name(anObject)) \(path(indexPath)) \(path(newIndexPath))")
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    events.append("\(type) section \(sectionIndex) \(sectionInfo.name)")
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    events.append("did")
  }
}
