// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Item+CoreDataProperties.swift
//  Shop
//
//  As Xcode's “Create NSManagedObject Subclass…” writes it, except for “@objc(addOrdersObject:)” and the like.
//

import Foundation
import CoreData


extension Item {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Item> {
        return NSFetchRequest<Item>(entityName: "Item")
    }

    @NSManaged public var added: Date?
    @NSManaged public var amount: Int32
    @NSManaged public var count64: NSNumber?
    @NSManaged public var identifier: UUID?
    @NSManaged public var isSold: Bool
    @NSManaged public var labels: [String]?
    @NSManaged public var link: URL?
    @NSManaged public var photo: Data?
    @NSManaged public var price: NSDecimalNumber?
    @NSManaged public var title: String?
    @NSManaged public var weight: Double
    @NSManaged public var orders: NSSet?
    @NSManaged public var owner: Customer?
    @NSManaged public var steps: NSOrderedSet?

}

// MARK: Generated accessors for orders
extension Item {

    @NSManaged public func addToOrders(_ value: Shop.Order)

    @NSManaged public func removeFromOrders(_ value: Shop.Order)

    @NSManaged public func addToOrders(_ values: NSSet)

    @NSManaged public func removeFromOrders(_ values: NSSet)

}

// MARK: Generated accessors for steps
extension Item {

    @NSManaged public func insertIntoSteps(_ value: Step, at idx: Int)

    @NSManaged public func removeFromSteps(at idx: Int)

    @NSManaged public func insertIntoSteps(_ values: [Step], at indexes: NSIndexSet)

    @NSManaged public func removeFromSteps(at indexes: NSIndexSet)

    @NSManaged public func replaceSteps(at idx: Int, with value: Step)

    @NSManaged public func replaceSteps(at indexes: NSIndexSet, with values: [Step])

    @NSManaged public func addToSteps(_ value: Step)

    @NSManaged public func removeFromSteps(_ value: Step)

    @NSManaged public func addToSteps(_ values: NSOrderedSet)

    @NSManaged public func removeFromSteps(_ values: NSOrderedSet)

}

extension Item : Identifiable {

}
