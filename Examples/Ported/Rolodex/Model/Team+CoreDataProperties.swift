// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Team+CoreDataProperties.swift
//  Rolodex
//
//  Created by Ada Example on 02/10/15.
//
//  Choose "Create NSManagedObject Subclass…" from the Core Data editor menu
//  to delete and recreate this implementation file for your updated model.
//

import Foundation
import CoreData

extension Team {

    @NSManaged var name: String?
    @NSManaged var size: NSNumber?
    @NSManaged var members: NSSet?

}
