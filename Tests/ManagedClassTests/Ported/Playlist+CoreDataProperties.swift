// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Playlist+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Playlist {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Playlist> {
        return NSFetchRequest<Playlist>(entityName: "Playlist")
    }

    @NSManaged public var name: String?
    @NSManaged public var price: NSDecimalNumber?

}

extension Playlist : Identifiable {

}
