// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Team.swift
//  Rolodex
//
//  Created by Ada Example on 02/10/15.
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Team)
#endif
public class Team: NSManagedObject {

// Insert code here to add functionality to your managed object subclass

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        if context != nil, name == nil { name = "New Team" }
    }

}
