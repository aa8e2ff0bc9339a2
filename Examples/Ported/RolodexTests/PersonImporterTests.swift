// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  PersonImporterTests.swift
//  RolodexTests
//
//  Created by Ada Example on 14.03.24.
//

import XCTest
import CoreData
@testable import Rolodex

final class PersonImporterTests: XCTestCase {

    func testImportedPeopleAreSaved() async throws {
        let stack = CoreDataStack(inMemory: true)
        let importer = PersonImporter(container: stack.persistentContainer)
        let json = """
            [{"first": "Ada", "last": "Lovelace", "tags": ["math", "poetry"], "phones": ["555 03"]},
             {"last": "Zuse"}]
            """
        let count = try await importer.importPeople(from: Data(json.utf8))
        XCTAssertEqual(count, 2)
        try await stack.viewContext.perform {
            let request = Person.sortedByName()
            request.predicate = NSPredicate(format: "ANY phones.digits BEGINSWITH %@", "555")
            let people = try stack.viewContext.fetch(request)
            XCTAssertEqual(people.map(\.tags), [["math", "poetry"]])
        }
        try await stack.viewContext.perform {
            try importer.deleteEveryone()
            XCTAssertEqual(try stack.viewContext.count(for: Person.fetchRequest()), 0)
        }
    }
}
