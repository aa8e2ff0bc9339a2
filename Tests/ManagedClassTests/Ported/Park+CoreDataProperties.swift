// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Park+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Park {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Park> {
        return NSFetchRequest<Park>(entityName: "Park");
    }

    @NSManaged public var name: String?
    @NSManaged public var area: NSDecimalNumber?

}
