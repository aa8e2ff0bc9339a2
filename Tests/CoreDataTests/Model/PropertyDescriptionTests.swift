// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("A property description")
struct PropertyDescriptionTests {
  @Test("reports the first predicate that a value does not meet, with its warning")
  func predicates() throws {
    let attribute = ModelFixtures.attribute("name", .string)
    let short = NSPredicate { value, _ in (value as? String ?? "").count < 5 }
    let lower = NSPredicate { value, _ in (value as? String)?.first?.isLowercase ?? false }
    attribute.setValidationPredicates([short, lower], withValidationWarnings: ["too long"])
    #expect(attribute.violation(of: "abc", object: nil) == nil)
    #expect(attribute.violation(of: nil, object: nil) == nil)
    let long = try #require(attribute.violation(of: "abcdef", object: nil))
    #expect(long.code == NSManagedObjectValidationError)
    #expect(long.localizedDescription == "too long")
    #expect(long.userInfo[NSValidationPredicateErrorKey] as? NSPredicate === short)
    let upper = try #require(attribute.violation(of: "Abc", object: nil))
    #expect(upper.userInfo[NSValidationPredicateErrorKey] as? NSPredicate === lower)
  }

  @Test("stops the program where its entity or model is asked for and there is none")
  func places() async {
    await #expect(processExitsWith: .failure) { _ = NSAttributeDescription().entity }
    await #expect(processExitsWith: .failure) { _ = NSEntityDescription().managedObjectModel }
    await #expect(processExitsWith: .failure) {
      let model = NSManagedObjectModel()
      model.setEntities([NSEntityDescription()], forConfigurationName: "Cup")
    }
  }

  @Test("has values for defaults as the interface gives them")
  func defaults() {
    #expect(AttributeValue.any(.int(3)) as? Int == 3)
    #expect(AttributeValue.any(.bool(true)) as? Bool == true)
    #expect(AttributeValue.any(.date(0)) as? Date == Date(timeIntervalSinceReferenceDate: 0))
    #expect(AttributeValue.value("x", as: .integer32) == nil)
    #expect(AttributeValue.value(nil, as: .integer32)?.isNull == true)
  }

  @Test("is indexed by its own mark, before and after it is in an entity")
  @available(*, deprecated, message: "tests what is deprecated")
  func indexed() throws {
    let name = ModelFixtures.attribute("name", .string)
    #expect(!name.isIndexed)
    name.isIndexed = true
    let entity = NSEntityDescription()
    entity.name = "Tag"
    let other = ModelFixtures.attribute("other", .string)
    let third = ModelFixtures.attribute("third", .string)
    entity.properties = [name, other, third]
    func index(_ property: NSPropertyDescription) -> NSFetchIndexDescription {
      let element = NSFetchIndexElementDescription(property: property, collationType: .binary)
      return NSFetchIndexDescription(name: "by\(property.name)", elements: [element])
    }
    entity.indexes = [index(other), index(third)]
    #expect(name.isIndexed && other.isIndexed && third.isIndexed)
    third.isIndexed = false
    #expect((name.copy() as? NSAttributeDescription)?.isIndexed == true)
    let hash = entity.versionHash
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let stack = try LibraryStack(model: model)
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let indexes = try SQLFile(url: try #require(store.url)).texts(
      "SELECT name FROM sqlite_master WHERE tbl_name = 'ZTAG' AND name LIKE 'Z_Tag%' ORDER BY 1"
    )
    #expect(indexes == ["Z_Tag_byother", "Z_Tag_name"])
    #expect(entity.versionHash == hash && entity.indexes.count == 2)
  }
}
