// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Meeting.swift
//  Rolodex
//
//  Created by Ada Example on 05/06/14.
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Meeting)
#endif
public class Meeting: NSManagedObject {

    @NSManaged var date: NSDate
    @NSManaged var place: String?
    @NSManaged var title: String
    @NSManaged var participants: NSOrderedSet

    class func upcoming(in context: NSManagedObjectContext) throws -> [Meeting] {
        let request = NSFetchRequest<Meeting>(entityName: "Meeting")
        request.predicate = NSPredicate(format: "%K >= %@", "date", NSDate())
        request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: true)]
        return try context.fetch(request)
    }

    func invite(_ person: Person) {
        mutableOrderedSetValue(forKey: "participants").add(person)
    }
}
