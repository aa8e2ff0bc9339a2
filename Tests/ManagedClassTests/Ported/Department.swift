// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Department.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Department)
#endif
class Department: NSManagedObject {

    @NSManaged var title: String
    @NSManaged var budget: NSDecimalNumber
    @NSManaged var employees: NSSet

}
