// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Visit+CoreDataProperties.swift
//  Generations
//

public import Foundation
public import CoreData


public typealias VisitCoreDataPropertiesSet = NSSet

extension Visit {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Visit> {
        return NSFetchRequest<Visit>(entityName: "Visit")
    }

    @NSManaged public var when: Date?
    @NSManaged public var cost: NSDecimalNumber?

}

extension Visit : Identifiable {

}
