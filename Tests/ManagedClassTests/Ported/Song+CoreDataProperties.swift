// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Song+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Song {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Song> {
        return NSFetchRequest<Song>(entityName: "Song")
    }

    @NSManaged public var id: UUID?
    @NSManaged public var title: String?
    @NSManaged public var duration: Double
    @NSManaged public var plays: Int64
    @NSManaged public var album: Album?

}

extension Song : Identifiable {

}
