// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Stadium+CoreDataProperties.swift
//  Generations
//
//  Choose "Create NSManagedObject Subclass…" from the Core Data editor menu
//  to delete and recreate this implementation file for your updated model.
//

import Foundation
import CoreData

extension Stadium {

    @NSManaged var name: String?
    @NSManaged var seats: NSNumber?
    @NSManaged var plan: NSData?

}
