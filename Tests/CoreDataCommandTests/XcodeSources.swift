// SPDX-License-Identifier: Apache-2.0

/// Sources in the form in which Xcode has written classes of managed objects since 2014, and code that uses
/// them.
///
/// Source: documented, “Generating code” of Xcode Help, and the documentation of Core Data; written for these
/// tests.
enum XcodeSources {
  static func usesRuntime(_ path: String) -> Bool {
    files.contains { path.hasSuffix("/" + $0.name) && $0.text.contains("@objc") }
  }

  static let files: [(name: String, text: String)] = [
    (
      "Year2014.swift",
      """
      //
      //  Employee.swift
      //

      import Foundation
      import CoreData

      class Employee: NSManagedObject {

          @NSManaged var name: String
          @NSManaged var hired: NSDate
          @NSManaged var salary: NSNumber
          @NSManaged var department: NSManagedObject
          @NSManaged var reports: NSSet

      }

      """
    ),
    (
      "Year2015.swift",
      "import Foundation\nimport CoreData\n\n\nclass Team: NSManagedObject {\n\n// Insert code here\n\n}\n"
    ),
    (
      "Year2015+CoreDataProperties.swift",
      """
      //  Choose "Create NSManagedObject Subclass…" from the Core Data editor menu
      //  to delete and recreate this implementation file for your updated model.

      import Foundation
      import CoreData

      extension Team {

          @NSManaged var imageName: String?
          @NSManaged var wins: NSNumber?
          @NSManaged var players: NSOrderedSet?

      }

      """
    ),
    (
      "Year2016+CoreDataClass.swift",
      """
      import Foundation
      import CoreData

      @objc(Walk)
      public class Walk: NSManagedObject {

      }

      """
    ),
    (
      "Year2016+CoreDataProperties.swift",
      """
      import Foundation
      import CoreData

      extension Walk {

          @nonobjc public class func fetchRequest() -> NSFetchRequest<Walk> {
              return NSFetchRequest<Walk>(entityName: "Walk");
          }

          @NSManaged public var date: NSDate?
          @NSManaged public var photo: NSData?
          @NSManaged public var dogs: NSOrderedSet?
          @NSManaged public var tags: NSSet?

      }

      // MARK: Generated accessors for dogs
      extension Walk {

          @objc(insertObject:inDogsAtIndex:)
          @NSManaged public func insertIntoDogs(_ value: Dog, at idx: Int)

          @objc(removeObjectFromDogsAtIndex:)
          @NSManaged public func removeFromDogs(at idx: Int)

          @objc(insertDogs:atIndexes:)
          @NSManaged public func insertIntoDogs(_ values: [Dog], at indexes: NSIndexSet)

          @objc(removeDogsAtIndexes:)
          @NSManaged public func removeFromDogs(at indexes: NSIndexSet)

          @objc(addDogsObject:)
          @NSManaged public func addToDogs(_ value: Dog)

          @objc(addDogs:)
          @NSManaged public func addToDogs(_ values: NSOrderedSet)

      }

      // MARK: Generated accessors for tags
      extension Walk {

          @objc(addTagsObject:)
          @NSManaged public func addToTags(_ value: Walk)

          @objc(removeTagsObject:)
          @NSManaged public func removeFromTags(_ value: Walk)

          @objc(addTags:)
          @NSManaged public func addToTags(_ values: NSSet)

          @objc(removeTags:)
          @NSManaged public func removeFromTags(_ values: NSSet)

      }

      """
    ),
    (
      "Year2020.swift",
      """
      import Foundation
      import CoreData
      import UIKit

      @objc(Dog)
      public class Dog: NSManagedObject, Identifiable {
          @NSManaged public var id: UUID?
          @NSManaged public var name: String?
          @NSManaged public var weight: Double
          @NSManaged public var walk: Walk?
          @NSManaged @objc(isGoodDog) public var isGood: Bool

          @objc dynamic public var shortName: String { String(name?.prefix(3) ?? "") }

          override public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
              super.init(entity: entity, insertInto: context)
          }

          public override func awakeFromInsert() {
              super.awakeFromInsert()
              setPrimitiveValue(UUID(), forKey: #keyPath(Dog.id))
          }

          @objc public class func keyPathsForValuesAffectingShortName() -> Set<String> {
              [#keyPath(name)]
          }
      }

      """
    ),
    (
      "Year2025.swift",
      """
      public import Foundation
      public import CoreData

      public typealias CatCoreDataClassSet = NSSet

      @objc(Cat)
      public nonisolated class Cat: NSManagedObject {
          @nonobjc public class func fetchRequest() -> NSFetchRequest<Cat> {
              return NSFetchRequest<Cat>(entityName: "Cat")
          }

          @NSManaged public var name: String?
          @NSManaged public var lives: Int16
      }

      extension Cat : Identifiable {

      }

      """
    ),
    (
      "Store.swift",
      """
      import CoreData
      import Combine

      @objc protocol StoreDelegate { func storeDidChange(_ store: Store) }

      @objcMembers
      final class Store: NSObject, NSFetchedResultsControllerDelegate {
          weak var delegate: StoreDelegate?
          private let context: NSManagedObjectContext
          private @objc dynamic var count = 0

          init(context: NSManagedObjectContext) { self.context = context }

          func dogs() throws -> [Dog] {
              let request = Dog.fetchRequest() as! NSFetchRequest<Dog>
              request.predicate = NSPredicate(format: "%K == %@ AND \\(#keyPath(Dog.walk.date)) != nil",
                                              #keyPath(Dog.name), "Rex") // #keyPath(Dog.name)
              request.sortDescriptors = [
                  NSSortDescriptor(key: #keyPath(Dog.name), ascending: true,
                                   selector: #selector(NSString.localizedStandardCompare(_:))),
              ]
              return try context.fetch(request)
          }

          func all<T: NSManagedObject>(_ type: T.Type) throws -> [T] {
              try context.fetch(T.fetchRequest() as! NSFetchRequest<T>)
          }

          func deleteAll() throws {
              let request = Walk.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>
              try context.execute(NSBatchDeleteRequest(fetchRequest: request))
          }

          @discardableResult @objc(controllerForName:)
          public func controller(named name: String) -> NSFetchedResultsController<Dog> {
              let request: NSFetchRequest<Dog> = NSFetchRequest(entityName: "Dog")
              return NSFetchedResultsController(fetchRequest: request, managedObjectContext: context,
                                                sectionNameKeyPath: #keyPath(Dog.isGood), cacheName: nil)
          }

          @objc func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
              delegate?.storeDidChange(self)
          }
      }

      class Policy: NSEntityMigrationPolicy {
          override init() { super.init() }
      }

      """
    ),
  ]
}
