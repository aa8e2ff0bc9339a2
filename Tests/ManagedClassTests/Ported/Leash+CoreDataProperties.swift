// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Leash+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Leash {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Leash> {
        return NSFetchRequest<Leash>(entityName: "Leash");
    }

    @NSManaged public var length: Float
    @NSManaged public var color: String?
    @NSManaged public var dog: Dog?

}
