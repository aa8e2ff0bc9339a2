// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  PersonListTests.swift
//  RolodexTests
//
//  Created by Ada Example on 11.11.20.
//

import XCTest
import CoreData
import Combine
@testable import Rolodex

final class PersonListTests: XCTestCase {

    private var stack: CoreDataStack!
    private var list: PersonList!
    private var cancellables: Set<AnyCancellable> = []

    override func setUpWithError() throws {
        stack = CoreDataStack(inMemory: true)
        for name in ["Ada Lovelace", "Grace Hopper", "Konrad Zuse"] {
            let parts = name.components(separatedBy: " ")
            let person = Person(context: stack.viewContext)
            person.firstName = parts[0]
            person.lastName = parts[1]
        }
        stack.saveContext()
        list = PersonList(context: stack.viewContext)
    }

    override func tearDownWithError() throws {
        cancellables = []
        list = nil
        stack = nil
    }

    func testTheListFollowsItsContext() throws {
        XCTAssertEqual(list.people.map(\.fullName), ["Grace Hopper", "Ada Lovelace", "Konrad Zuse"])
        var changes = 0
        list.objectWillChange.sink { changes += 1 }.store(in: &cancellables)
        let person = Person(context: stack.viewContext)
        person.lastName = "Curie"
        stack.viewContext.processPendingChanges()
        XCTAssertEqual(list.people.first, person)
        XCTAssertEqual(changes, 1)
    }

    func testTheSearchIgnoresCase() {
        var counts: [Int] = []
        list.$people.map(\.count).sink { counts.append($0) }.store(in: &cancellables)
        list.search("LOV")
        XCTAssertEqual(list.people.map(\.firstName), ["Ada"])
        list.search("")
        XCTAssertEqual(counts, [3, 1, 3])
    }

    func testADetailPublishesItsChanges() throws {
        let detail = try PersonDetail(list.people[0].objectID, parent: stack.viewContext)
        XCTAssertEqual(detail.title, "Hopper")
        var changes = 0
        detail.objectWillChange.sink { changes += 1 }.store(in: &cancellables)
        detail.person.firstName = "Admiral"
        XCTAssertEqual(changes, 1)
        detail.person.lastName = "Murray"
        XCTAssertEqual(detail.title, "Murray")
        XCTAssertEqual(list.people[0].lastName, "Hopper")
        try detail.save()
        XCTAssertEqual(list.people[1].fullName, "Admiral Murray")
    }
}
