// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Note+CoreDataProperties.swift
//  Generations
//

import Foundation
import CoreData


extension Note {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Note> {
        return NSFetchRequest<Note>(entityName: "Note")
    }

    @NSManaged public var identifier: UUID?
    @NSManaged public var text: String?
    @NSManaged public var created: Date?
    @NSManaged public var link: URL?
    @NSManaged public var folder: Folder?
    @NSManaged public var labels: NSSet?

}

// MARK: Generated accessors for labels
extension Note {

    #if canImport(ObjectiveC)
    @objc(addLabelsObject:)
    #endif
    @NSManaged public func addToLabels(_ value: NoteLabel)

    #if canImport(ObjectiveC)
    @objc(removeLabelsObject:)
    #endif
    @NSManaged public func removeFromLabels(_ value: NoteLabel)

    #if canImport(ObjectiveC)
    @objc(addLabels:)
    #endif
    @NSManaged public func addToLabels(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removeLabels:)
    #endif
    @NSManaged public func removeFromLabels(_ values: NSSet)

}
