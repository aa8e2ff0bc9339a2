// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  PersonImporter.swift
//  Rolodex
//
//  Created by Ada Example on 14.03.24.
//

import Foundation
import CoreData
#if canImport(os)
import os
#endif

/// Imports people from JSON, in the background.
final class PersonImporter {

    struct Record: Codable {
        var first: String?
        var last: String
        var tags: [String]?
        var phones: [String]?
    }

    private let container: NSPersistentContainer

    init(container: NSPersistentContainer) { self.container = container }

    func importPeople(from data: Data) async throws -> Int {
        let records = try JSONDecoder().decode([Record].self, from: data)
        return try await container.performBackgroundTask { context in
            for record in records {
                autoreleasepool {
                    let person = Person(context: context)
                    person.firstName = record.first
                    person.lastName = record.last
                    person.tags = record.tags
                    for digits in record.phones ?? [] {
                        person.addToPhones(PhoneNumber(context: context, digits: digits, kind: .mobile))
                    }
                }
            }
            try context.save()
            return records.count
        }
    }

    func deleteEveryone() throws {
        let request = Person.fetchRequest() as NSFetchRequest<NSFetchRequestResult>
        let delete = NSBatchDeleteRequest(fetchRequest: request)
        delete.resultType = .resultTypeObjectIDs
        let result = try container.viewContext.execute(delete) as? NSBatchDeleteResult
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: result?.result ?? []],
            into: [container.viewContext])
    }
}
