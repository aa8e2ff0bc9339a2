// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Attributes made of others: a dictionary in memory, a column for each element in the file.
///
/// Documented are the dictionary and the paths to elements; the columns are chosen.
@Suite("Composite attributes")
struct CompositeTests {
  private static let contents = """
    <model>
      <entity name="Item">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
        <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify"
            destinationEntity="Item"/>
      </entity>
      <composite name="Place">
        <attribute name="lat" attributeType="Double" minValueString="-90" maxValueString="90"/>
        <attribute name="lng" optional="YES" attributeType="Double"/>
        <attribute name="seen" optional="YES" attributeType="Date"/>
        <attribute name="isHome" optional="YES" attributeType="Boolean"/>
        <attribute name="address" optional="YES" attributeType="Composite" composite="Address"/>
      </composite>
      <composite name="Address">
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="floors" optional="YES" attributeType="Integer 32"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <attribute name="id" optional="YES" attributeType="UUID"/>
        <attribute name="page" optional="YES" attributeType="URI"/>
        <attribute name="photo" optional="YES" attributeType="Binary"/>
        <attribute name="tags" optional="YES" attributeType="Transformable"/>
      </composite>
    </model>
    """

  private final class World {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("composite-\(UUID().uuidString)")
    let model: NSManagedObjectModel
    let coordinator: NSPersistentStoreCoordinator
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    var file: URL { folder.appendingPathComponent("Items.sqlite") }

    init(type: String = NSSQLiteStoreType, model given: NSManagedObjectModel? = nil) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let source = folder.appendingPathComponent("contents")
      try Data(CompositeTests.contents.utf8).write(to: source)
      model = try given ?? #require(NSManagedObjectModel(contentsOf: source))
      coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: type,
        configurationName: nil,
        at: type == NSSQLiteStoreType ? file : nil
      )
      context.persistentStoreCoordinator = coordinator
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @discardableResult
    func make(_ name: String, _ place: [String: Any]?) -> NSManagedObject {
      let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
      item.setValue(name, forKey: "name")
      item.setValue(place, forKey: "place")
      return item
    }

    func names(
      _ format: String,
      by key: String = "name",
      ascending: Bool = true
    ) throws -> [String] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
      request.predicate = NSPredicate(format: format)
      request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)]
      return try context.fetch(request).compactMap { $0.text("name") }
    }
  }

  private static let id = UUID()
  private static var whole: [String: Any] {
    [
      "lat": 52.5, "lng": 13.25, "seen": Date(timeIntervalSinceReferenceDate: 12.5), "isHome": true,
      "address": [
        "city": "Köln", "floors": 3, "price": Decimal(string: "1.25") ?? 0, "id": id,
        "page": URL(string: "https://example.com/a") ?? URL(fileURLWithPath: "/"),
        "photo": Data([1, 2, 0]), "tags": ["a", "b"],
      ] as [String: Any],
    ]
  }

  @Test("Every element comes back as it was saved, from a column of its own type")
  func stored() throws {
    let world = try World()
    try world.context.performAndWait { () throws -> Void in
      world.make("whole", Self.whole)
      world.make("part", ["lat": 1])
      world.make("none", nil)
      world.make("empty", [:])
      try world.context.save()
      world.context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
      let items = try world.context.fetch(request)
      let byName = Dictionary(uniqueKeysWithValues: items.map { ($0.text("name") ?? "", $0) })
      let place = try #require(byName["whole"]?.value(forKey: "place") as? [String: Any])
      #expect(place.keys.sorted() == ["address", "isHome", "lat", "lng", "seen"])
      #expect(place["lat"] as? Double == 52.5)
      #expect(place["seen"] as? Date == Date(timeIntervalSinceReferenceDate: 12.5))
      #expect(place["isHome"] as? Bool == true)
      let address = try #require(place["address"] as? [String: Any])
      #expect(address["city"] as? String == "Köln")
      #expect(address["floors"] as? Int == 3)
      #expect(address["price"] as? NSDecimalNumber == NSDecimalNumber(string: "1.25"))
      #expect(address["id"] as? UUID == Self.id)
      #expect((address["page"] as? URL)?.absoluteString == "https://example.com/a")
      #expect(address["photo"] as? Data == Data([1, 2, 0]))
      #expect(address["tags"] as? [String] == ["a", "b"])
      #expect(byName["whole"]?.value(forKeyPath: "place.address.city") as? String == "Köln")
      #expect((byName["part"]?.value(forKey: "place") as? [String: Any])?.count == 1)
      #expect(byName["none"]?.value(forKey: "place") == nil)
      #expect(byName["empty"]?.value(forKey: "place") == nil)
    }
    let row = try RawRows.read(world.file.path) {
      try $0.rows("SELECT * FROM ZITEM WHERE ZNAME = 'whole'").first
    }
    #expect(row?["ZPLACE_LAT"] == .real(52.5))
    #expect(row?["ZPLACE_SEEN"] == .real(12.5))
    #expect(row?["ZPLACE_ISHOME"] == .integer(1))
    #expect(row?["ZPLACE_ADDRESS_CITY"] == .text("Köln"))
    #expect(row?["ZPLACE_ADDRESS_PHOTO"] == .blob(Data([1, 2, 0])))
    let table = try RawRows.read(world.file.path) {
      try $0.rows("SELECT sql FROM sqlite_master WHERE name = 'ZITEM'").first?["sql"]
    }
    #expect(
      table
        == .text(
          "CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZPLACE_ISHOME INTEGER, ZPLACE_ADDRESS_FLOORS INTEGER, ZNEXT INTEGER, "
            + "ZPLACE_LAT FLOAT, ZPLACE_LNG FLOAT, ZPLACE_SEEN TIMESTAMP, "
            + "ZPLACE_ADDRESS_PRICE DECIMAL, ZNAME VARCHAR, ZPLACE_ADDRESS_CITY VARCHAR, "
            + "ZPLACE_ADDRESS_PAGE VARCHAR, ZPLACE_ADDRESS_ID BLOB, ZPLACE_ADDRESS_TAGS BLOB, "
            + "ZPLACE_ADDRESS_PHOTO BLOB )"
        )
    )
  }

  @Test("A change of one element is one update; setting nil empties all columns")
  func changed() throws {
    let world = try World()
    try world.context.performAndWait { () throws -> Void in
      let item = world.make("a", Self.whole)
      try world.context.save()
      item.setValue(["lat": 2.0], forKey: "place")
      #expect(item.changedValues().keys.sorted() == ["place"])
      #expect(
        (item.committedValues(forKeys: ["place"])["place"] as? [String: Any])?["lat"] as? Double
          == 52.5
      )
      try world.context.save()
      let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      other.persistentStoreCoordinator = world.coordinator
      try other.performAndWait { () throws -> Void in
        let mine = try other.existingObject(with: item.objectID)
        #expect((mine.value(forKey: "place") as? [String: Any])?.keys.sorted() == ["lat"])
        mine.setValue(nil, forKey: "place")
        try other.save()
      }
      world.context.refresh(item, mergeChanges: true)
      #expect(item.value(forKey: "place") == nil)
      item.setValue(["lat": 3.0], forKey: "place")
      world.context.rollback()
      #expect(item.value(forKey: "place") == nil)
    }
  }

  @Test(
    "Predicates and orders reach elements, in SQL, in memory, and on unsaved objects",
    arguments: [true, false],
    [NSSQLiteStoreType, NSInMemoryStoreType]
  )
  func asked(isSaved: Bool, type: String) throws {
    let world = try World(type: type)
    try world.context.performAndWait { () throws -> Void in
      let north = world.make("north", ["lat": 60.0, "address": ["city": "Oslo", "floors": 2]])
      world.make("south", ["lat": -30.0, "lng": 1.0, "address": ["city": "Perth"]])
        .setValue(north, forKey: "next")
      world.make("nowhere", nil)
      if isSaved {
        try world.context.save()
        world.context.reset()
      }
      #expect(try world.names("place.lat > 0") == ["north"])
      #expect(try world.names("place.address.city BEGINSWITH 'P'") == ["south"])
      #expect(
        try world.names("place.address.city ==[c] 'oslo' OR place.lng == 1") == ["north", "south"]
      )
      #expect(try world.names("place == nil") == ["nowhere"])
      #expect(try world.names("place != nil") == ["north", "south"])
      #expect(try world.names("place.lng == nil") == ["north", "nowhere"])
      #expect(try world.names("next.place.address.floors == 2") == ["south"])
      #expect(try world.names("place != nil", by: "place.lat") == ["south", "north"])
      #expect(
        try world.names("place != nil", by: "place.address.city", ascending: false)
          == ["south", "north"]
      )
      let wrong = NSFetchRequest<NSManagedObject>(entityName: "Item")
      wrong.predicate = NSPredicate(format: "place.height == 1")
      if type == NSSQLiteStoreType {
        let error = #expect(throws: NSError.self) { try world.context.fetch(wrong) }
        let reason = error?.localizedDescription ?? ""
        #expect(reason.contains("attribute place of Item has no element height; its elements are"))
      }
    }
  }

  @Test("Dictionary results have whole composites and single elements")
  func dictionaries() throws {
    let world = try World()
    try world.context.performAndWait { () throws -> Void in
      world.make("a", ["lat": 1.5, "address": ["city": "Bonn"]])
      world.make("b", nil)
      try world.context.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Item")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["name", "place", "place.lat"]
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let rows = try world.context.fetch(request)
      let place = rows.first?["place"] as? [String: Any]
      #expect(place?["lat"] as? Double == 1.5)
      #expect((place?["address"] as? [String: Any])?["city"] as? String == "Bonn")
      #expect(rows.first?["place.lat"] as? Double == 1.5)
      #expect(rows.last?["place"] == nil)
    }
  }

  @Test("Elements are validated by their own rules")
  func validated() throws {
    let world = try World()
    try world.context.performAndWait { () throws -> Void in
      let item = world.make("a", ["lat": 91])
      let error = #expect(throws: NSError.self) { try world.context.save() }
      #expect(error?.code == NSValidationNumberTooLargeError)
      #expect(error?.localizedDescription == "place.lat is too large.")
      item.setValue(["lng": 1], forKey: "place")
      #expect(Self.code { try world.context.save() } == NSValidationMissingMandatoryPropertyError)
      var value: Any? = ["lat": -91]
      #expect(
        Self.code { try item.validateValue(&value, forKey: "place") }
          == NSValidationNumberTooSmallError
      )
      item.setValue(["lat": 90, "lng": 1], forKey: "place")
      try world.context.save()
    }
  }

  private static func code(_ body: () throws -> Void) -> Int? {
    do {
      try body()
      return nil
    } catch { return (error as NSError).code }
  }

  @Test("Batches insert and update composites; history and a second store read them")
  func batches() throws {
    let world = try World()
    try world.context.performAndWait { () throws -> Void in
      let insert = NSBatchInsertRequest(
        entityName: "Item",
        objects: [["name": "a", "place": ["lat": 1.0, "lng": 2.0]], ["name": "b"]]
      )
      _ = try world.context.execute(insert)
      #expect(try world.names("place.lng == 2") == ["a"])
      let update = NSBatchUpdateRequest(entityName: "Item")
      update.propertiesToUpdate = ["place": ["lat": 7.0]]
      _ = try world.context.execute(update)
      world.context.reset()
      #expect(try world.names("place.lat == 7 AND place.lng == nil") == ["a", "b"])
    }
  }

  @Test("Descriptions made in code say the same as a model file")
  func described() throws {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    let inner = NSCompositeAttributeDescription()
    inner.name = "address"
    inner.elements = [attribute("city", .stringAttributeType)]
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.elements = [attribute("lat", .doubleAttributeType), inner]
    #expect(place.attributeType == .compositeAttributeType)
    let entity = NSEntityDescription()
    entity.name = "Item"
    entity.properties = [attribute("name", .stringAttributeType), place]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    let copied = copy.entitiesByName["Item"]?.attributesByName["place"]
    #expect(
      (copied as? NSCompositeAttributeDescription)?.elements.map(\.name) == ["lat", "address"]
    )
    #expect(copied?.isEqual(place) == true)
    let world = try World(model: copy)
    try world.context.performAndWait { () throws -> Void in
      world.make("a", ["lat": 1.0, "address": ["city": "Ulm"]])
      try world.context.save()
      #expect(try world.names("place.address.city == 'Ulm'") == ["a"])
    }
    let read = try World().model.entitiesByName["Item"]?.attributesByName["place"]
    let elements = try #require(read as? NSCompositeAttributeDescription).elements
    #expect(elements.map(\.name) == ["lat", "lng", "seen", "isHome", "address"])
    #expect((elements.last as? NSCompositeAttributeDescription)?.elements.count == 7)
  }
}
