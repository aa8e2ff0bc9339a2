// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Album+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Album {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Album> {
        return NSFetchRequest<Album>(entityName: "Album")
    }

    @NSManaged public var title: String?
    @NSManaged public var released: Date?
    @NSManaged public var isFavorite: Bool
    @NSManaged public var songs: NSOrderedSet?
    @NSManaged public var artist: Artist?

}

// MARK: Generated accessors for songs
extension Album {

    #if canImport(ObjectiveC)
    @objc(insertObject:inSongsAtIndex:)
    #endif
    @NSManaged public func insertIntoSongs(_ value: Song, at idx: Int)

    #if canImport(ObjectiveC)
    @objc(removeObjectFromSongsAtIndex:)
    #endif
    @NSManaged public func removeFromSongs(at idx: Int)

    #if canImport(ObjectiveC)
    @objc(insertSongs:atIndexes:)
    #endif
    @NSManaged public func insertIntoSongs(_ values: [Song], at indexes: NSIndexSet)

    #if canImport(ObjectiveC)
    @objc(removeSongsAtIndexes:)
    #endif
    @NSManaged public func removeFromSongs(at indexes: NSIndexSet)

    #if canImport(ObjectiveC)
    @objc(replaceObjectInSongsAtIndex:withObject:)
    #endif
    @NSManaged public func replaceSongs(at idx: Int, with value: Song)

    #if canImport(ObjectiveC)
    @objc(replaceSongsAtIndexes:withSongs:)
    #endif
    @NSManaged public func replaceSongs(at indexes: NSIndexSet, with values: [Song])

    #if canImport(ObjectiveC)
    @objc(addSongsObject:)
    #endif
    @NSManaged public func addToSongs(_ value: Song)

    #if canImport(ObjectiveC)
    @objc(removeSongsObject:)
    #endif
    @NSManaged public func removeFromSongs(_ value: Song)

    #if canImport(ObjectiveC)
    @objc(addSongs:)
    #endif
    @NSManaged public func addToSongs(_ values: NSOrderedSet)

    #if canImport(ObjectiveC)
    @objc(removeSongs:)
    #endif
    @NSManaged public func removeFromSongs(_ values: NSOrderedSet)

}

extension Album : Identifiable {

}
