// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A store of plants and beds with its stack.
final class Garden {
  let url: URL
  let container: NSPersistentContainer
  var context: NSManagedObjectContext { container.viewContext }

  init(_ url: URL) throws {
    self.url = url
    container = NSPersistentContainer(name: "Garden", managedObjectModel: Self.model())
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
  }

  private static func attribute(
    _ name: String,
    _ type: NSAttributeType
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  static func model(strictly isStrict: Bool = false) -> NSManagedObjectModel {
    let (plant, bed) = (NSEntityDescription(), NSEntityDescription())
    (plant.name, bed.name) = ("Plant", "Bed")
    let (home, plants) = (NSRelationshipDescription(), NSRelationshipDescription())
    (home.name, home.destinationEntity, home.maxCount) = ("bed", bed, 1)
    (plants.name, plants.destinationEntity, plants.isOrdered) = ("plants", plant, true)
    (home.inverseRelationship, plants.inverseRelationship) = (plants, home)
    let height = attribute("height", isStrict ? .stringAttributeType : .doubleAttributeType)
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    plant.properties = [
      attribute("name", .stringAttributeType), height, photo,
      attribute("count", .integer32AttributeType), attribute("price", .decimalAttributeType),
      attribute("seen", .dateAttributeType), attribute("page", .URIAttributeType),
      attribute("number", .UUIDAttributeType), attribute("notes", .transformableAttributeType),
      home,
    ]
    bed.properties = [attribute("name", .stringAttributeType), plants]
    bed.uniquenessConstraints = [["name"]]
    let model = NSManagedObjectModel()
    model.entities = [plant, bed]
    model.versionIdentifiers = ["1", "garden"]
    return model
  }

  /// Two beds with three plants each.
  func plant() throws {
    for (place, bedName) in ["North", "South"].enumerated() {
      let bed = NSEntityDescription.insertNewObject(forEntityName: "Bed", into: context)
      bed.setValue(bedName, forKey: "name")
      let plants = ["Äpfel", "rose", "Oak"].enumerated().map { number, name in
        let plant = NSEntityDescription.insertNewObject(forEntityName: "Plant", into: context)
        let values: [String: Any] = [
          "name": name, "height": Double(number) + 0.5, "count": place * 10 + number,
          "price": Decimal(string: "12.3\(number)") as Any,
          "seen": Date(timeIntervalSinceReferenceDate: Double(86_400 * number)),
          "page": URL(string: "https://example.org/\(name.count)") as Any,
          "number": UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)") as Any,
          "notes": ["list": ["a", [1, 2]], "price": Decimal(number), "set": Set([7])]
            as [String: Any],
          "photo": Data(repeating: UInt8(number), count: 200_000),
        ]
        for (key, value) in values { plant.setValue(value, forKey: key) }
        return plant
      }
      bed.setValue(NSOrderedSet(array: plants), forKey: "plants")
    }
    try context.save()
    context.reset()
    let store = container.persistentStoreCoordinator.persistentStores[0]
    var metadata = container.persistentStoreCoordinator.metadata(for: store)
    metadata["mine"] = ["list": ["x", 1, true], "date": Date(timeIntervalSinceReferenceDate: 0)]
    container.persistentStoreCoordinator.setMetadata(metadata, for: store)
    print("metadata", container.persistentStoreCoordinator.metadata(for: store)["mine"] ?? "none")
  }
}
