// SPDX-License-Identifier: Apache-2.0

/// The name of a class and the names of its superclasses, as keyed archives store them.
///
/// Source: observed, model caches of framework versions 637 to 1516.
package struct ArchivedClass {
  let name: String
  let ancestors: [String]

  /// Creates the names of the class `name` and its superclasses.
  ///
  /// `ancestors` lists the superclasses, nearest first, without `NSObject`, which is added at the end.
  package init(name: String, ancestors: [String]) {
    self.name = name
    self.ancestors = ancestors + ["NSObject"]
  }

  init(_ name: String, _ ancestors: String...) {
    self.name = name
    self.ancestors = ancestors + ["NSObject"]
  }

  package static let array = ArchivedClass("NSArray")
  package static let mutableArray = ArchivedClass("NSMutableArray", "NSArray")
  package static let set = ArchivedClass("NSSet")
  static let orderedSet = ArchivedClass("NSOrderedSet")
  static let null = ArchivedClass("NSNull")
  package static let dictionary = ArchivedClass("NSDictionary")
  static let mutableDictionary = ArchivedClass("NSMutableDictionary", "NSDictionary")
  static let knownKeys = ArchivedClass(
    "NSKnownKeysDictionary1",
    "NSKnownKeysDictionary",
    "NSMutableDictionary",
    "NSDictionary"
  )
  static let knownKeysMapping = ArchivedClass(
    "NSKnownKeysMappingStrategy1",
    "NSKnownKeysMappingStrategy"
  )
  static let date = ArchivedClass("NSDate")
  static let url = ArchivedClass("NSURL")
  static let uuid = ArchivedClass("NSUUID")
  static let decimal = ArchivedClass(
    "NSDecimalNumberPlaceholder",
    "NSDecimalNumber",
    "NSNumber",
    "NSValue"
  )

  static let model = ArchivedClass("NSManagedObjectModel")
  static let entity = ArchivedClass("NSEntityDescription")
  static let attribute = ArchivedClass("NSAttributeDescription", "NSPropertyDescription")
  static let derivedAttribute = ArchivedClass(
    "NSDerivedAttributeDescription",
    "NSAttributeDescription",
    "NSPropertyDescription"
  )
  static let fetchedProperty = ArchivedClass(
    "NSFetchedPropertyDescription",
    "NSPropertyDescription"
  )
  static let fetchRequest = ArchivedClass("NSFetchRequest", "NSPersistentStoreRequest")
  static let sortDescriptor = ArchivedClass("NSSortDescriptor")
  static let relationship = ArchivedClass("NSRelationshipDescription", "NSPropertyDescription")
  static let fetchIndex = ArchivedClass("NSFetchIndexDescription")
  static let fetchIndexElement = ArchivedClass("NSFetchIndexElementDescription")

  static let comparison = ArchivedClass("NSComparisonPredicate", "NSPredicate")
  static let comparisonOperator = ArchivedClass(
    "NSComparisonPredicateOperator",
    "NSPredicateOperator"
  )
  static let matchingOperator = ArchivedClass("NSMatchingPredicateOperator", "NSPredicateOperator")
  static let selfExpression = ArchivedClass("NSSelfExpression", "NSExpression")
  static let constant = ArchivedClass("NSConstantValueExpression", "NSExpression")
  static let keyPath = ArchivedClass("NSKeyPathExpression", "NSFunctionExpression", "NSExpression")
  static let keyPathSpecifier = ArchivedClass("NSKeyPathSpecifierExpression", "NSExpression")
}
