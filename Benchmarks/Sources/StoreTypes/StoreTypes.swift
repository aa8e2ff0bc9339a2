// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Measures stores of a type: `store-types TYPE STEP COUNT FOLDER` prints the seconds of the step, the greatest
/// memory of the process and the size of the file.
///
/// Steps: `save` inserts and saves the objects, `load` opens the store and reads one object, `read` opens the
/// store and reads all objects, `change` opens the store, changes one object and saves it.
@main
struct StoreTypes {
  enum Failure: Error { case usage, missing }

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let count = Int(arguments[3]) else { throw Failure.usage }
    let (type, step) = (arguments[1], arguments[2])
    let url = URL(fileURLWithPath: arguments[4]).appendingPathComponent("Store-\(type)")
    if step == "save" {
      for suffix in ["", "-wal", "-shm"] {
        // The error is dropped: the file is missing in the first round.
        try? FileManager.default.removeItem(atPath: url.path + suffix)
      }
    }
    let model = model()
    let start = ContinuousClock.now
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      type: .init(rawValue: type),
      at: url,
      options: nil
    )
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { try run(step, count, context) }
    let time = ContinuousClock.now - start
    // The log of an SQLite store becomes a part of the file.
    try coordinator.remove(store)
    let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
    print(
      "\(type) \(step) \(count) seconds \(time / .seconds(1)) peak-kB \(peak()) file-kB \(size / 1024)"
    )
  }

  private static func run(_ step: String, _ count: Int, _ context: NSManagedObjectContext) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Row")
    switch step {
    case "save":
      let groups = (0..<100).map { number in
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue("Group \(number)", forKey: "name")
        return group
      }
      for number in 0..<count {
        let row = NSEntityDescription.insertNewObject(forEntityName: "Row", into: context)
        row.setValue("Row number \(number)", forKey: "name")
        row.setValue("A longer text of the row with the number \(number)", forKey: "text")
        row.setValue(number, forKey: "number")
        row.setValue(Double(number) / 7, forKey: "ratio")
        row.setValue(number % 2 == 0, forKey: "flag")
        row.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "date")
        row.setValue(groups[number % groups.count], forKey: "group")
      }
      try context.save()
    case "load":
      request.fetchLimit = 1
      guard try context.fetch(request).first?.value(forKey: "name") != nil else {
        throw Failure.missing
      }
    case "read":
      guard try context.fetch(request).count == count else { throw Failure.missing }
    case "change":
      request.predicate = NSPredicate(format: "number == %d", count / 2)
      guard let row = try context.fetch(request).first else { throw Failure.missing }
      row.setValue("Changed \(Date())", forKey: "name")
      try context.save()
    default: throw Failure.usage
    }
  }

  private static func model() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    let row = NSEntityDescription()
    row.name = "Row"
    let group = NSEntityDescription()
    group.name = "Group"
    let toGroup = NSRelationshipDescription()
    let toRows = NSRelationshipDescription()
    for (relationship, name, destination, maximum) in [
      (toGroup, "group", group, 1), (toRows, "rows", row, 0),
    ] {
      relationship.name = name
      relationship.destinationEntity = destination
      relationship.maxCount = maximum
      relationship.deleteRule = .nullifyDeleteRule
    }
    toGroup.inverseRelationship = toRows
    toRows.inverseRelationship = toGroup
    row.properties = [
      attribute("name", .stringAttributeType), attribute("text", .stringAttributeType),
      attribute("number", .integer64AttributeType), attribute("ratio", .doubleAttributeType),
      attribute("flag", .booleanAttributeType), attribute("date", .dateAttributeType), toGroup,
    ]
    group.properties = [attribute("name", .stringAttributeType), toRows]
    let model = NSManagedObjectModel()
    model.entities = [row, group]
    return model
  }

  /// The greatest memory of the process in kB.
  private static func peak() -> Int {
    // The error is dropped: systems without the file have no figure.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
