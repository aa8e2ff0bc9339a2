// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Attachment+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Attachment {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Attachment> {
        return NSFetchRequest<Attachment>(entityName: "Attachment")
    }

    @NSManaged public var bytes: Data?
    @NSManaged public var size: Int64

}
