// SPDX-License-Identifier: Apache-2.0

import CoreData
import TableMirror

/// Nations in zones, some of them champions (a sub-entity), in a store in memory.
final class ResultsFixture {
  let container: NSPersistentContainer
  let context: NSManagedObjectContext

  init() throws {
    container = NSPersistentContainer(name: "Nations", managedObjectModel: Self.model())
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    context = container.newBackgroundContext()
  }

  static func model() -> NSManagedObjectModel {
    let zone = NSEntityDescription()
    zone.name = "Zone"
    let label = attribute("label", .stringAttributeType)
    let nations = NSRelationshipDescription()
    nations.name = "nations"
    zone.properties = [label, nations]
    let nation = NSEntityDescription()
    nation.name = "Nation"
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

  @discardableResult
  func add(
    _ name: String,
    _ zone: String?,
    _ wins: Int,
    entity: String = "Nation"
  ) -> NSManagedObject {
    let nation = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
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

  func request(_ keys: [(String, Bool)]? = nil) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Nation")
    let keys = keys ?? [("zone", true), ("wins", false), ("name", true)]
    request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
    return request
  }

  func controller(
    _ request: NSFetchRequest<NSManagedObject>? = nil,
    sections: String? = "zone"
  ) -> NSFetchedResultsController<NSManagedObject> {
    NSFetchedResultsController(
      fetchRequest: request ?? self.request(),
      managedObjectContext: context,
      sectionNameKeyPath: sections,
      cacheName: nil
    )
  }
}

func name(_ object: Any?) -> String {
  (object as? NSManagedObject)?.value(forKey: "name") as? String ?? "?"
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
  func take() -> [String] {
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
