// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Cat+CoreDataProperties.swift
//  Generations
//

public import Foundation
public import CoreData


public typealias CatCoreDataPropertiesSet = NSSet

extension Cat {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Cat> {
        return NSFetchRequest<Cat>(entityName: "Cat")
    }

    @NSManaged public var name: String?
    @NSManaged public var lives: Int16
    @NSManaged public var born: Date?
    @NSManaged public var toys: NSSet?

}

// MARK: Generated accessors for toys
extension Cat {

    #if canImport(ObjectiveC)
    @objc(addToysObject:)
    #endif
    @NSManaged public func addToToys(_ value: Toy)

    #if canImport(ObjectiveC)
    @objc(removeToysObject:)
    #endif
    @NSManaged public func removeFromToys(_ value: Toy)

    #if canImport(ObjectiveC)
    @objc(addToys:)
    #endif
    @NSManaged public func addToToys(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removeToys:)
    #endif
    @NSManaged public func removeFromToys(_ values: NSSet)

}

extension Cat : Identifiable {

}
