// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  NoteLabel+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension NoteLabel {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<NoteLabel> {
        return NSFetchRequest<NoteLabel>(entityName: "NoteLabel")
    }

    @NSManaged public var title: String?
    @NSManaged public var notes: NSSet?

}

// MARK: Generated accessors for notes
extension NoteLabel {

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
    @NSManaged public func addToNotes(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removeNotes:)
    #endif
    @NSManaged public func removeFromNotes(_ values: NSSet)

}
