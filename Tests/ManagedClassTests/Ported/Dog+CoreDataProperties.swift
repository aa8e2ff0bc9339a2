// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Dog+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Dog {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Dog> {
        return NSFetchRequest<Dog>(entityName: "Dog");
    }

    @NSManaged public var name: String?
    @NSManaged public var photo: NSData?
    @NSManaged public var isGood: Bool
    @NSManaged public var walks: NSSet?
    @NSManaged public var leash: Leash?

}

// MARK: Generated accessors for walks
extension Dog {

    #if canImport(ObjectiveC)
    @objc(addWalksObject:)
    #endif
    @NSManaged public func addToWalks(_ value: Walk)

    #if canImport(ObjectiveC)
    @objc(removeWalksObject:)
    #endif
    @NSManaged public func removeFromWalks(_ value: Walk)

    #if canImport(ObjectiveC)
    @objc(addWalks:)
    #endif
    @NSManaged public func addToWalks(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removeWalks:)
    #endif
    @NSManaged public func removeFromWalks(_ values: NSSet)

}
