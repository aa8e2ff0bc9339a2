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

#if canImport(ObjectiveC)
@objc(Person)
#endif
public class Person: NSManagedObject {

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(UUID(), forKey: "identifier")
        setPrimitiveValue(Date(), forKey: "created")
    }

    #if canImport(ObjectiveC)
    @objc
    #endif
    public var fullName: String {
        [firstName, lastName].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    static func sortedByName() -> NSFetchRequest<Person> {
        let request: NSFetchRequest<Person> = Person.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(key: "lastName", ascending: true,
                             selector: Selector(("localizedCaseInsensitiveCompare:"))),
            NSSortDescriptor(keyPath: \Person.firstName, ascending: true),
        ]
        return request
    }
}
