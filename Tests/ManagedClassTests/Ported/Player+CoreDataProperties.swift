// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Player+CoreDataProperties.swift
//  Generations
//
//  Choose "Create NSManagedObject Subclass…" from the Core Data editor menu
//  to delete and recreate this implementation file for your updated model.
//

import Foundation
import CoreData

extension Player {

    @NSManaged var name: String?
    @NSManaged var number: NSNumber?
    @NSManaged var height: NSNumber?
    @NSManaged var team: Team?

}
