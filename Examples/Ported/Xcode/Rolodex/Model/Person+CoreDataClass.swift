// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Person+CoreDataClass.swift
//  Rolodex
//
//  Created by Ada Example on 14.03.24.
//
//

import Foundation
import CoreData

@objc(Person)
public class Person: NSManagedObject {

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(UUID(), forKey: #keyPath(Person.identifier))
        setPrimitiveValue(Date(), forKey: #keyPath(Person.created))
    }

    @objc public var fullName: String {
        [firstName, lastName].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    static func sortedByName() -> NSFetchRequest<Person> {
        let request: NSFetchRequest<Person> = Person.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(key: #keyPath(Person.lastName), ascending: true,
                             selector: #selector(NSString.localizedCaseInsensitiveCompare(_:))),
            NSSortDescriptor(keyPath: \Person.firstName, ascending: true),
        ]
        return request
    }
}
