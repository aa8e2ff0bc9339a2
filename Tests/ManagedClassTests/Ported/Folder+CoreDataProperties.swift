// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Folder+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Folder {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Folder> {
        return NSFetchRequest<Folder>(entityName: "Folder")
    }

    @NSManaged public var name: String?
    @NSManaged public var order: Int16
    @NSManaged public var notes: NSOrderedSet?

}

// MARK: Generated accessors for notes
extension Folder {

    #if canImport(ObjectiveC)
    @objc(insertObject:inNotesAtIndex:)
    #endif
    @NSManaged public func insertIntoNotes(_ value: Note, at idx: Int)

    #if canImport(ObjectiveC)
    @objc(removeObjectFromNotesAtIndex:)
    #endif
    @NSManaged public func removeFromNotes(at idx: Int)

    #if canImport(ObjectiveC)
    @objc(insertNotes:atIndexes:)
    #endif
    @NSManaged public func insertIntoNotes(_ values: [Note], at indexes: NSIndexSet)

    #if canImport(ObjectiveC)
    @objc(removeNotesAtIndexes:)
    #endif
    @NSManaged public func removeFromNotes(at indexes: NSIndexSet)

    #if canImport(ObjectiveC)
    @objc(replaceObjectInNotesAtIndex:withObject:)
    #endif
    @NSManaged public func replaceNotes(at idx: Int, with value: Note)

    #if canImport(ObjectiveC)
    @objc(replaceNotesAtIndexes:withNotes:)
    #endif
    @NSManaged public func replaceNotes(at indexes: NSIndexSet, with values: [Note])

    #if canImport(ObjectiveC)
    @objc(addNotesObject:)
    #endif
    @NSManaged public func addToNotes(_ value: Note)

    #if canImport(ObjectiveC)
    @objc(removeNotesObject:)
    #endif
    @NSManaged public func removeFromNotes(_ value: Note)

    #if canImport(ObjectiveC)
    @objc(addNotes:)
    #endif
    @NSManaged public func addToNotes(_ values: NSOrderedSet)

    #if canImport(ObjectiveC)
    @objc(removeNotes:)
    #endif
    @NSManaged public func removeFromNotes(_ values: NSOrderedSet)

}
