// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Team+CoreDataProperties.swift
//  Generations
//
//  Choose "Create NSManagedObject Subclass…" from the Core Data editor menu
//  to delete and recreate this implementation file for your updated model.
//

import Foundation
import CoreData

extension Team {

    @NSManaged var imageName: String?
    @NSManaged var wins: NSNumber?
    @NSManaged var founded: NSDate?
    @NSManaged var players: NSOrderedSet?

}
