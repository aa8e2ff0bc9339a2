// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Employee.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Employee)
#endif
class Employee: NSManagedObject {

    @NSManaged var name: String
    @NSManaged var hired: NSDate
    @NSManaged var salary: NSNumber
    @NSManaged var photo: NSData
    @NSManaged var department: Department?

}
