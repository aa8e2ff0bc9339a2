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

    @objc(addMeetingsObject:)
    @NSManaged public func addToMeetings(_ value: Meeting)

    @objc(removeMeetingsObject:)
    @NSManaged public func removeFromMeetings(_ value: Meeting)

    @objc(addMeetings:)
    @NSManaged public func addToMeetings(_ values: NSSet)

    @objc(removeMeetings:)
    @NSManaged public func removeFromMeetings(_ values: NSSet)

}

// MARK: Generated accessors for phones
extension Person {

    @objc(addPhonesObject:)
    @NSManaged public func addToPhones(_ value: PhoneNumber)

    @objc(removePhonesObject:)
    @NSManaged public func removeFromPhones(_ value: PhoneNumber)

    @objc(addPhones:)
    @NSManaged public func addToPhones(_ values: NSSet)

    @objc(removePhones:)
    @NSManaged public func removeFromPhones(_ values: NSSet)

}

extension Person : Identifiable {

}
