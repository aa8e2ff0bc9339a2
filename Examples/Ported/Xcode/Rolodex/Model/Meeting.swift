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

@objc(Meeting)
public class Meeting: NSManagedObject {

    @NSManaged var date: NSDate
    @NSManaged var place: String?
    @NSManaged var title: String
    @NSManaged var participants: NSOrderedSet

    class func upcoming(in context: NSManagedObjectContext) throws -> [Meeting] {
        let request = Meeting.fetchRequest() as! NSFetchRequest<Meeting>
        request.predicate = NSPredicate(format: "%K >= %@", #keyPath(Meeting.date), NSDate())
        request.sortDescriptors = [NSSortDescriptor(key: #keyPath(Meeting.date), ascending: true)]
        return try context.fetch(request)
    }

    func invite(_ person: Person) {
        mutableOrderedSetValue(forKey: #keyPath(Meeting.participants)).add(person)
    }
}
