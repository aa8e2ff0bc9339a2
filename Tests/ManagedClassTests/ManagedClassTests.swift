// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataGraph

/// Hand-written classes with `@NSManaged`, whose accessors the plugin generates for this target.
@Suite(.serialized) @MainActor
struct ManagedClassTests {
  let container: NSPersistentContainer
  var context: NSManagedObjectContext { container.viewContext }

  init() throws {
    container = NSPersistentContainer(name: "Shop", managedObjectModel: try Self.model())
    let folder = FileManager.default.temporaryDirectory
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(
        url: folder.appendingPathComponent("managed-\(UUID().uuidString).sqlite")
      )
    ]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }

  private static func model() throws -> NSManagedObjectModel {
    let url = try #require(Bundle.module.url(forResource: "Shop", withExtension: "xcdatamodeld"))
    return try #require(NSManagedObjectModel(contentsOf: url))
  }

  @Test func valuesOfEveryTypeAreSavedAndReadAgain() throws {
    let item = Item(context: context)
    let identifier = UUID()
    #expect(item.amount == 1)
    #expect(item.title == nil)
    item.title = "Solaris"
    item.title?.append("!")
    item.amount += 2
    item.count64 = 5_000_000_000
    item.identifier = identifier
    item.isSold.toggle()
    item.labels = ["new"]
    item.labels?.append("used")
    item.link = URL(string: "https://example.org/1")
    item.photo = Data([1, 2])
    item.price = NSDecimalNumber(string: "9.95")
    item.weight = 0.5
    item.added = Date(timeIntervalSinceReferenceDate: 7)
    item.kind = .film
    item.calm()
    try context.save()
    context.refresh(item, mergeChanges: false)
    #expect(item.title == "Solaris!")
    #expect(item.amount == 3)
    #expect(item.count64 == 5_000_000_000)
    #expect(item.identifier == identifier)
    #expect(item.isSold)
    #expect(item.labels == ["new", "used"])
    #expect(item.link?.absoluteString == "https://example.org/1")
    #expect(item.photo == Data([1, 2]))
    #expect(item.price == NSDecimalNumber(string: "9.95"))
    #expect(item.weight == 0.5)
    #expect(item.added == Date(timeIntervalSinceReferenceDate: 7))
    #expect(item.kind == .film)
    #expect(item.mood == .calm)
  }

  @Test func relationshipsAndTheirFunctionsUpdateTheInverse() throws {
    let item = Item(context: context)
    let customer = Customer(context: context)
    let order = Shop.Order(context: context)
    item.owner = customer
    #expect(customer.items == NSSet(object: item))
    item.addToOrders(order)
    order.placed = NSDate(timeIntervalSinceReferenceDate: 3)
    #expect(order.item === item)
    #expect(order.placed?.timeIntervalSinceReferenceDate == 3)
    #expect(item.orders == NSSet(object: order))
    item.removeFromOrders(NSSet(object: order))
    #expect(order.item == nil)
    item.orders = NSSet(object: order)
    #expect(order.item === item)
  }

  @Test func orderedRelationshipsHaveAllFunctions() throws {
    let item = Item(context: context)
    let steps = ["a", "b", "c"].map { text in
      let step = Step(context: context)
      step.text = text
      return step
    }
    func order() -> String { (item.steps?.array as? [Step])?.map(\.text).joined() ?? "" }
    item.addToSteps(NSOrderedSet(array: [steps[0], steps[1]]))
    item.insertIntoSteps(steps[2], at: 0)
    #expect(order() == "cab")
    item.removeFromSteps(at: 1)
    #expect(order() == "cb")
    item.replaceSteps(at: 0, with: steps[0])
    #expect(order() == "ab")
    #expect(steps[0].item === item)
    item.removeFromSteps(steps[0])
    item.insertIntoSteps(
      [steps[0], steps[2]],
      at: NSIndexSet(indexesIn: NSRange(location: 0, length: 2))
    )
    #expect(order() == "acb")
  }

  @Test func keyPathsAreKeys() throws {
    for (title, amount) in [("b", 1), ("a", 2), ("c", 3)] as [(String, Int32)] {
      let item = SpecialItem(context: context)
      item.title = title
      item.amount = amount
      item.discount = 0.25
    }
    try context.save()
    let request = Item.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Item.title, ascending: true)]
    #expect(try context.fetch(request).map(\.title) == ["a", "b", "c"])
    let special = NSFetchRequest<SpecialItem>(entityName: "SpecialItem")
    special.predicate = NSPredicate(#Predicate<SpecialItem> { $0.amount > 1 && $0.discount < 0.5 })
    special.sortDescriptors = [NSSortDescriptor(keyPath: \SpecialItem.discount, ascending: true)]
    #expect(try context.fetch(special).count == 2)
  }

  @Test func modelsFindNestedClassesAndClassesWithAnotherNameInObjectiveC() {
    let order = NSEntityDescription.insertNewObject(forEntityName: "Order", into: context)
    let step = NSEntityDescription.insertNewObject(forEntityName: "Step", into: context)
    #expect(order is Shop.Order)
    #expect(step is Step)
  }

  @Test func changesAreObserved() {
    let item = Item(context: context)
    var seen: [String?] = []
    let observation = item.observe(\.title, options: [.new]) { _, change in
      seen.append(change.newValue ?? nil)
    }
    item.title = "x"
    item.setValue("y", forKey: "title")
    observation.invalidate()
    #expect(seen == ["x", "y"])
    #expect(item.changedValues()["title"] as? String == "y")
  }

  @Test func transformersAreFoundByTheNamesInTheModelThoughTheyAreNotRegistered() throws {
    let paint = Paint(context: context)
    paint.colour = NSString("red")
    paint.varnish = NSString("matt")
    try context.save()
    context.refresh(paint, mergeChanges: false)
    #expect(paint.colour as? String == "red")
    #expect(paint.varnish as? String == "matt!")
    #expect(ValueTransformer(forName: .init("PaintTransformer")) is Transformers.PaintTransformer)
  }

  @Test func aTargetThatImportsFoundationUsesExpressionsWithoutAnAliasOfItsOwn() throws {
    for title in ["a", "b"] {
      Item(context: context).title = title
    }
    let request: NSFetchRequest<Item> = Item.fetchRequest()
    request.predicate = Expressions.isTitled("b")
    #expect(try context.fetch(request).map(\.title) == ["b"])
  }

  @Test func theCompiledModelIsInTheBundleOfTheTarget() throws {
    let url = try #require(
      Bundle.module.url(forResource: Optional("Shop"), withExtension: Optional("momd"))
    )
    let compiled = try #require(NSManagedObjectModel(contentsOf: url))
    #expect(try compiled == Self.model())
    #expect(try compiled.versionChecksum == Self.model().versionChecksum)
  }

  @Test func primitiveAccessorsRecordNoChange() throws {
    let item = Item(context: context)
    item.title = "b"
    try context.save()
    item.setTitleSilently("a")
    #expect(item.title == "ab")
    #expect(!item.hasChanges)
  }

  @Test func accessorsUseTheSlotsOfTheModelForWhichTheyWereGenerated() throws {
    #expect(!Item(context: context).isMisaligned)
    #expect(!SpecialItem(context: context).isMisaligned)
    #expect(!Shop.Order(context: context).isMisaligned)
    #expect(!Step(context: context).isMisaligned)
  }

  @Test func accessorsFindPropertiesOfAnotherModelByName() throws {
    let entity = NSEntityDescription()
    entity.name = "Item"
    entity.managedObjectClassName = "Item"
    entity.properties = ["aaa", "title", "zzz"].map { name in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      attribute.isOptional = true
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let item = Item(entity: entity, insertInto: nil)
    item.title = "other"
    #expect(item.isMisaligned)
    #expect(item.value(forKey: "title") as? String == "other")
    #expect(item.title == "other")
  }
}
