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
}
