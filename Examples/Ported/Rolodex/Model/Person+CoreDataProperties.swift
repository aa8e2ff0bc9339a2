// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Person+CoreDataProperties.swift
//  Rolodex
//
//  Created by Ada Example on 14.03.24.
//
//

import Foundation
import CoreData


extension Person {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Person> {
        return NSFetchRequest<Person>(entityName: "Person")
    }

    @NSManaged public var birthday: Date?
    @NSManaged public var created: Date?
    @NSManaged public var firstName: String?
    @NSManaged public var identifier: UUID?
    @NSManaged public var isFavorite: Bool
    @NSManaged public var lastName: String?
    @NSManaged public var rating: Int16
    @NSManaged public var tags: [String]?
    @NSManaged public var meetings: NSSet?
    @NSManaged public var phones: NSSet?
    @NSManaged public var team: Team?

}

// MARK: Generated accessors for meetings
extension Person {

    #if canImport(ObjectiveC)
    @objc(addMeetingsObject:)
    #endif
    @NSManaged public func addToMeetings(_ value: Meeting)

    #if canImport(ObjectiveC)
    @objc(removeMeetingsObject:)
    #endif
    @NSManaged public func removeFromMeetings(_ value: Meeting)

    #if canImport(ObjectiveC)
    @objc(addMeetings:)
    #endif
    @NSManaged public func addToMeetings(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removeMeetings:)
    #endif
    @NSManaged public func removeFromMeetings(_ values: NSSet)

}

// MARK: Generated accessors for phones
extension Person {

    #if canImport(ObjectiveC)
    @objc(addPhonesObject:)
    #endif
    @NSManaged public func addToPhones(_ value: PhoneNumber)

    #if canImport(ObjectiveC)
    @objc(removePhonesObject:)
    #endif
    @NSManaged public func removeFromPhones(_ value: PhoneNumber)

    #if canImport(ObjectiveC)
    @objc(addPhones:)
    #endif
    @NSManaged public func addToPhones(_ values: NSSet)

    #if canImport(ObjectiveC)
    @objc(removePhones:)
    #endif
    @NSManaged public func removeFromPhones(_ values: NSSet)

}

extension Person : Identifiable {

}
