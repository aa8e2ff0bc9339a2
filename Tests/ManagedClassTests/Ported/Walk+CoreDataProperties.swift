// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Walk+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Walk {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Walk> {
        return NSFetchRequest<Walk>(entityName: "Walk");
    }

    @NSManaged public var date: NSDate?
    @NSManaged public var distance: Double
    @NSManaged public var dogs: NSSet?

}

// MARK: Generated accessors for dogs
extension Walk {

    #if canImport(ObjectiveC)
    @objc(addDogsObject:)
    #endif
    @NSManaged public func addToDogs(_ value: Dog)

    #if canImport(ObjectiveC)
    @objc(removeDogsObject:)
    #endif
    @NSManaged public func removeFromDogs(_ value: Dog)

    #if canImport(ObjectiveC)
    @objc(addDogs:)
    #endif
    @NSManaged public func addToDogs(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removeDogs:)
    #endif
    @NSManaged public func removeFromDogs(_ values: NSSet)

}
