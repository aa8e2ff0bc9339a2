// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Artist+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Artist {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Artist> {
        return NSFetchRequest<Artist>(entityName: "Artist")
    }

    @NSManaged public var name: String?
    @NSManaged public var website: URL?
    @NSManaged public var albums: NSSet?

}

// MARK: Generated accessors for albums
extension Artist {

    #if canImport(ObjectiveC)
    @objc(addAlbumsObject:)
    #endif
    @NSManaged public func addToAlbums(_ value: Album)

    #if canImport(ObjectiveC)
    @objc(removeAlbumsObject:)
    #endif
    @NSManaged public func removeFromAlbums(_ value: Album)

    #if canImport(ObjectiveC)
    @objc(addAlbums:)
    #endif
    @NSManaged public func addToAlbums(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removeAlbums:)
    #endif
    @NSManaged public func removeFromAlbums(_ values: NSSet)

}

extension Artist : Identifiable {

}
