// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  PhoneNumber+CoreDataProperties.swift
//  Rolodex
//
//  Created by Ada Example on 21/09/16.
//  This file was automatically generated and should not be edited.
//

import Foundation
import CoreData


extension PhoneNumber {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<PhoneNumber> {
        return NSFetchRequest<PhoneNumber>(entityName: "PhoneNumber");
    }

    @NSManaged public var digits: String?
    @NSManaged public var kind: Int16
    @NSManaged public var owner: Person?

}
