// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  EmployeeQueries.swift
//  Generations
//

#if canImport(UIKit)
import UIKit
#endif
import CoreData

class EmployeeQueries: NSObject {
    #if canImport(ObjectiveC)
    @objc
    #endif
    dynamic var lastName: String = ""

    func employees(inDepartment title: String, context: NSManagedObjectContext) throws -> [Employee] {
        let request = NSFetchRequest<Employee>(entityName: "Employee")
        request.predicate = NSPredicate(format: "%K == %@", "department.title", title)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true,
                                                    selector: Selector(("localizedStandardCompare:")))]
        return try context.fetch(request)
    }
}
