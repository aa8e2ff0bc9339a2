// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Kitchen+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Kitchen {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Kitchen> {
        return NSFetchRequest<Kitchen>(entityName: "Kitchen")
    }

    @NSManaged public var identifier: UUID?
    @NSManaged public var opened: Date?

}

extension Kitchen : Identifiable {

}
