// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Mapping models of apps, with objects and results worked out by hand.
@Suite("Mapping models by hand", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct MappingByHandTests {
  private let day = Date(timeIntervalSinceReferenceDate: 86_400)
  private let night = Date(timeIntervalSinceReferenceDate: 100_000)

  private func texts(_ objects: [NSManagedObject], _ key: String) -> [String?] {
    objects.map { $0[key] as? String }
  }

  private func partners(
    _ object: NSManagedObject,
    _ relationship: String,
    _ key: String
  ) -> [String] {
    let members = object.value(forKey: relationship)
    let objects: [Any]
    switch members {
    case let one as NSManagedObject: objects = [one]
    case let set as NSOrderedSet: objects = set.array
    case let set as NSSet: objects = set.allObjects
    default: objects = []
    }
    return objects.map { ($0 as? NSManagedObject)?[key] as? String ?? "?" }.sorted()
  }

  @Test(
    "Grocery Dude: amounts become units",
    arguments: ["anvarazizov__Grocery-Dude-Core-Data-Book__Model4to5", "birneysky", "victorchee"]
  )
  func groceryUnits(_ name: String) throws {
    let fixture = try MappingFixture(name)
    try fixture.fill([
      ("kg", "Amount", ["xyz": "kg"]), ("litre", "Amount", ["xyz": "litre"]),
      ("milk", "Item", ["name": "Milk", "quantity": 2.5, "listed": false, "collected": true]),
      ("bread", "Item", ["name": "Bread", "photoData": Data([1, 2, 3])]),
    ])
    try fixture.migrate()
    #expect(texts(try fixture.migrated("Unit", by: "name"), "name") == ["kg", "litre"])
    let items = try fixture.migrated("Item", by: "name")
    #expect(texts(items, "name") == ["Bread", "Milk"])
    #expect(items.map { $0["quantity"] as? Float } == [1, 2.5])
    #expect(items[1]["listed"] as? Bool == false && items[1]["collected"] as? Bool == true)
    #expect(items[0]["photoData"] as? Data == Data([1, 2, 3]))
  }

  @Test("Grocery Dude: an added entity has no objects, and a removed one leaves none")
  func groceryWords() throws {
    let fixture = try MappingFixture("anvarazizov__Grocery-Dude-Core-Data-Book__Model6to7")
    try fixture.fill([
      ("word", "Word", ["uzb": "non", "ukr": "khlib"]), ("item", "Item", ["name": "Bread"]),
    ])
    try fixture.migrate()
    #expect(try fixture.migrated("Word2", by: "ukr").isEmpty)
    #expect(texts(try fixture.migrated("Item", by: "name"), "name") == ["Bread"])
  }

  @Test("JSQCoreDataKit: each employee becomes an employee and a company")
  func employees() throws {
    let fixture = try MappingFixture("jessesquires")
    try fixture.fill([
      (
        "ann", "Employee",
        [
          "name": "Ann", "birthDate": day, "salary": NSDecimalNumber(string: "12.50"),
          "companyName": "Acme", "companyDateFounded": night,
          "companyProfits": NSDecimalNumber(string: "100.25"),
        ]
      )
    ])
    try fixture.migrate()
    let employee = try #require(try fixture.migrated("Employee", by: "name").first)
    #expect(employee["name"] as? String == "Ann" && employee["birthDate"] as? Date == day)
    #expect(employee["salary"] as? NSDecimalNumber == NSDecimalNumber(string: "12.50"))
    #expect(employee["company"] == nil)
    let company = try #require(try fixture.migrated("Company", by: "name").first)
    #expect(company["name"] as? String == "Acme" && company["dateFounded"] as? Date == night)
    #expect(company["profits"] as? NSDecimalNumber == NSDecimalNumber(string: "100.25"))
  }

  @Test("UnCloudNotes 2 to 3: only notes with an image get an attachment")
  func attachments() throws {
    let fixture = try MappingFixture("aaronLab")
    let note = ["body": "text", "displayIndex": 1] as [String: Any]
    try fixture.fill([
      ("plain", "Note", note.merging(["title": "plain", "dateCreated": day]) { $1 }),
      (
        "photo", "Note",
        note.merging(["title": "photo", "dateCreated": night, "image": "picture" as NSString]) {
          $1
        }
      ),
    ])
    try fixture.migrate()
    #expect(texts(try fixture.migrated("Note", by: "title"), "title") == ["photo", "plain"])
    let attachments = try fixture.migrated("Attachment", by: "dateCreated")
    #expect(attachments.count == 1 && attachments[0]["dateCreated"] as? Date == night)
    #expect(attachments[0]["image"] as? String == "picture")
    #expect(partners(attachments[0], "note", "title") == ["photo"])
  }

  @Test(
    "UnCloudNotes 3 to 4: each attachment becomes one of each entity",
    arguments: ["CoderDream", "alaraKalama"]
  )
  func imageAttachments(_ name: String) throws {
    let fixture = try MappingFixture(name)
    fixture.usePolicy(CaptionPolicy.self)
    try fixture.fill([
      ("note", "Note", ["title": "photo", "body": "text", "dateCreated": day]),
      (
        "image", "Attachment",
        ["dateCreated": night, "image": "picture" as NSString, "note": "@note"]
      ),
    ])
    try fixture.migrate()
    let images = try fixture.migrated("ImageAttachment", by: "dateCreated")
    #expect(images.count == 1 && images[0]["image"] as? String == "picture")
    #expect(images[0]["caption"] as? String == "a caption" && images[0]["width"] as? Float == 0)
    #expect(partners(images[0], "note", "title") == ["photo"])
    let plain = try fixture.migrated("Attachment", by: "dateCreated")
    #expect(plain.count == 1 && plain[0]["dateCreated"] as? Date == night)
    let note = try #require(try fixture.migrated("Note", by: "title").first)
    #expect((note["attachments"] as? NSSet)?.count == 2)
  }

  @Test("CoreStore: flagella become flippers, and a constant is a head")
  func creatures() throws {
    let fixture = try MappingFixture("JohnEstropia")
    fixture.usePolicy(NSEntityMigrationPolicy.self)
    try fixture.fill([("worm", "Creature", ["dnaCode": 7, "numberOfFlagella": 12])])
    try fixture.migrate()
    let creature = try #require(try fixture.migrated("Creature", by: "dnaCode").first)
    #expect(creature["dnaCode"] as? Int == 7 && creature["numberOfFlippers"] as? Int == 12)
    #expect(creature["hasHead"] as? Bool == true)
  }

  @Test("CoreDataPlus: owners are previous owners too, and a policy makes the makers")
  func cars() throws {
    let fixture = try MappingFixture("alemar11")
    fixture.usePolicy(MakerPolicy.self)
    try fixture.fill([
      ("ann", "Person", ["firstName": "Ann", "lastName": "A", "updatedAt": day]),
      ("bob", "Person", ["firstName": "Bob", "lastName": "B", "updatedAt": night]),
      ("car", "Car", ["numberPlate": "1", "model": "Panda", "maker": "FIAT", "owner": "@ann"]),
      ("sport", "SportCar", ["numberPlate": "2", "model": "GT", "maker": "BMW", "owner": "@ann"]),
      (
        "luxury", "LuxuryCar",
        ["numberPlate": "3", "model": "Phantom", "maker": "BMW", "isLimitedEdition": true]
      ),
    ])
    try fixture.migrate()
    let ann = try #require(try fixture.migrated("Person", by: "firstName").first)
    #expect(ann["updatedAt"] as? Date == day)
    #expect(partners(ann, "cars", "model") == ["GT", "Panda"])
    #expect(partners(ann, "previousCars", "model") == ["GT", "Panda"])
    let luxury = try #require(try fixture.migrated("LuxuryCar", by: "model").first)
    #expect(luxury["isLimitedEdition"] as? Bool == true && luxury["owner"] == nil)
    #expect(partners(luxury, "createdBy", "name") == ["BMW"])
    let makers = try fixture.migrated("Maker", by: "name")
    #expect(texts(makers, "name") == ["BMW", "FIAT"])
    #expect(partners(makers[0], "cars", "model") == ["GT", "Phantom"])
    #expect(try fixture.migrated("Car", by: "model").count == 1)
    #expect(try fixture.migrated("SportCar", by: "model").count == 1)
  }

  @Test("Moody 3 to 4: a hierarchy becomes entities of their own")
  func regions() throws {
    let fixture = try MappingFixture("objcio__core-data__Moody_3")
    try fixture.fill([
      (
        "europe", "Continent", ["numericISO3166Code": 10, "updatedAt": day, "numberOfCountries": 1]
      ),
      (
        "italy", "Country", ["numericISO3166Code": 380, "updatedAt": night, "continent": "@europe"]
      ),
      (
        "glad", "Mood",
        ["date": day, "remoteID": "1", "rating": 5, "country": "@italy", "latitude": 1.5]
      ),
    ])
    try fixture.migrate()
    let country = try #require(try fixture.migrated("Country", by: "updatedAt").first)
    #expect(country["numericISO3166Code"] as? Int == 380 && country["updatedAt"] as? Date == night)
    let continent = try #require(country["continent"] as? NSManagedObject)
    #expect(
      continent["numericISO3166Code"] as? Int == 10 && continent["numberOfCountries"] as? Int == 1
    )
    #expect(partners(country, "moods", "remoteID") == ["1"])
    let mood = try #require(try fixture.migrated("Mood", by: "date").first)
    #expect(mood["rating"] as? Int == 5 && mood["latitude"] as? Double == 1.5)
    #expect(mood["longitude"] == nil && mood["country"] as? NSManagedObject != nil)
  }

  @Test("Moody 5 to 6: a policy makes the continents of codes")
  func continents() throws {
    let fixture = try MappingFixture("objcio__core-data__Moody_5")
    fixture.usePolicy(ContinentPolicy.self)
    try fixture.fill([
      ("italy", "Country", ["numericISO3166Code": 380, "isoContinent": 5, "updatedAt": day]),
      ("spain", "Country", ["numericISO3166Code": 724, "isoContinent": 5, "updatedAt": day]),
      ("japan", "Country", ["numericISO3166Code": 392, "isoContinent": 4, "updatedAt": night]),
      ("glad", "Mood", ["date": day, "remoteID": "1", "rating": 3, "country": "@spain"]),
    ])
    try fixture.migrate()
    let continents = try fixture.migrated("Continent", by: "numericISO3166Code")
    #expect(continents.map { $0["numericISO3166Code"] as? Int } == [4, 5])
    #expect(continents.map { ($0["countries"] as? NSSet)?.count } == [1, 2])
    let mood = try #require(try fixture.migrated("Mood", by: "date").first)
    #expect((mood["country"] as? NSManagedObject)?["numericISO3166Code"] as? Int == 724)
  }

  @Test("TranslationCatalog: an added attribute that no mapping sets has its default value")
  func translations() throws {
    let fixture = try MappingFixture("richardpiazza")
    try fixture.fill([
      (
        "hello", "ExpressionEntity",
        ["id": UUID(), "key": "HELLO", "name": "Hello", "defaultLanguageRawValue": "en"]
      )
    ])
    try fixture.migrate()
    let hello = try #require(try fixture.migrated("ExpressionEntity", by: "key").first)
    #expect(hello["name"] as? String == "Hello" && hello["defaultValue"] as? String == "")
  }

  @Test("TranslationCatalog: a policy completes it, and links stay")
  func completed() throws {
    let fixture = try MappingFixture("richardpiazza")
    for mapping in fixture.mapping.entityMappings
    where mapping.sourceEntityName == "ExpressionEntity" {
      mapping.entityMigrationPolicyClassName = MigrationPolicyClasses.name(of: DefaultPolicy.self)
    }
    let id = UUID()
    try fixture.fill(
      [
        (
          "hello", "ExpressionEntity",
          ["id": id, "key": "HELLO", "name": "Hello", "defaultLanguageRawValue": "en"]
        ),
        (
          "ciao", "TranslationEntity",
          [
            "id": UUID(), "languageCodeRawValue": "it", "value": "Ciao",
            "expressionEntity": "@hello",
          ]
        ),
        (
          "project", "ProjectEntity", ["id": UUID(), "name": "App", "expressionEntities": "@hello"]
        ),
      ].map { object in
        var object = object
        object.2["expressionEntities"] = nil
        return object
      }
    )
    try fixture.migrate()
    let hello = try #require(try fixture.migrated("ExpressionEntity", by: "key").first)
    #expect(hello["id"] as? UUID == id && hello["defaultValue"] as? String == "Hello")
    #expect(partners(hello, "translationEntities", "value") == ["Ciao"])
    #expect(texts(try fixture.migrated("ProjectEntity", by: "name"), "name") == ["App"])
  }

  @Test("CoreDataMigration-Example: a policy makes a colour of each post")
  func posts() throws {
    let fixture = try MappingFixture("wibosco")
    fixture.usePolicy(ColourPolicy.self)
    try fixture.fill([
      ("first", "Post", ["postID": "1", "hexColor": "ff0000", "date": day]),
      ("second", "Post", ["postID": "2", "hexColor": "00ff00", "date": night]),
    ])
    try fixture.migrate()
    let posts = try fixture.migrated("Post", by: "postID")
    #expect(posts.map { $0["date"] as? Date } == [day, night])
    #expect(posts.map { partners($0, "color", "hex") } == [["ff0000"], ["00ff00"]])
    #expect(try fixture.migrated("Color", by: "hex").count == 2)
  }
}

private final class CaptionPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
      .first?.setValue("a caption", forKey: "caption")
  }
}

private final class MakerPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    guard let name = sInstance.value(forKey: "maker") as? String else { return }
    var makers = manager.userInfo as? [String: NSManagedObject] ?? [:]
    let maker =
      makers[name]
      ?? NSEntityDescription.insertNewObject(
        forEntityName: "Maker",
        into: manager.destinationContext
      )
    maker.setValue(name, forKey: "name")
    makers[name] = maker
    manager.userInfo = makers
    manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
      .first?.setValue(maker, forKey: "createdBy")
  }
}

private final class ContinentPolicy: NSEntityMigrationPolicy {
  private var continents: [Int: NSManagedObject] = [:]

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    guard let code = sInstance.value(forKey: "isoContinent") as? Int else { return }
    let continent =
      continents[code]
      ?? NSEntityDescription.insertNewObject(
        forEntityName: "Continent",
        into: manager.destinationContext
      )
    continent.setValue(code, forKey: "numericISO3166Code")
    continents[code] = continent
    manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
      .first?.setValue(continent, forKey: "continent")
  }
}

private final class DefaultPolicy: NSEntityMigrationPolicy {
  override func createRelationships(
    forDestination dInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    dInstance.setValue(dInstance["name"], forKey: "defaultValue")
  }
}

private final class ColourPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let color = NSEntityDescription.insertNewObject(
      forEntityName: "Color",
      into: manager.destinationContext
    )
    color.setValue(sInstance.value(forKey: "hexColor"), forKey: "hex")
    color.setValue(UUID().uuidString, forKey: "colorID")
    manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
      .first?.setValue(color, forKey: "color")
  }
}
