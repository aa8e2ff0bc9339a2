// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  RolodexTests.swift
//  RolodexTests
//
//  Created by Ada Example on 21/09/16.
//

import XCTest
import CoreData
@testable import Rolodex

class RolodexTests: XCTestCase {

    var stack: CoreDataStack!
    var context: NSManagedObjectContext!

    override func setUp() {
        super.setUp()
        // Put setup code here. This method is called before the invocation of each test method in the class.
        stack = CoreDataStack(inMemory: true)
        context = stack.viewContext
    }

    override func tearDown() {
        // Put teardown code here. This method is called after the invocation of each test method in the class.
        context = nil
        stack = nil
        super.tearDown()
    }

    func testANewPersonHasAnIdentifier() {
        let person = Person(context: context)
        XCTAssertNotNil(person.identifier)
        XCTAssertNotNil(person.created)
        XCTAssertTrue(person.changedValues().keys.contains("identifier"))
    }

    func testSavedPeopleAreSorted() throws {
        for name in ["zuse", "Ada", "lovelace", "Hopper"] {
            let person = Person(context: context)
            person.lastName = name
        }
        stack.saveContext()
        let people = try context.fetch(Person.sortedByName())
        XCTAssertEqual(people.map(\.lastName), ["Ada", "Hopper", "lovelace", "zuse"])
    }

    func testBothEndsOfARelationshipAgree() {
        let team = Team(context: context)
        XCTAssertEqual(team.name, "New Team")
        let person = Person(context: context)
        person.team = team
        XCTAssertEqual(team.members, NSSet(object: person))
        team.size = 3
        XCTAssertEqual(team.size?.intValue, 3)
    }

    func testDeletingAPersonDeletesItsPhones() throws {
        let person = Person(context: context)
        person.lastName = "Hopper"
        person.addToPhones(PhoneNumber(context: context, digits: "555 01", kind: .home))
        person.addToPhones(PhoneNumber(context: context, digits: "555 02", kind: .work))
        stack.saveContext()
        XCTAssertEqual(try context.count(for: PhoneNumber.fetchRequest()), 2)
        context.delete(person)
        stack.saveContext()
        XCTAssertEqual(try context.count(for: PhoneNumber.fetchRequest()), 0)
    }

    func testAPhoneNumberNeedsADigit() {
        let person = Person(context: context)
        person.lastName = "Hopper"
        person.addToPhones(PhoneNumber(context: context, digits: "none", kind: .home))
        XCTAssertThrowsError(try context.save()) { error in
            let error = error as NSError
            XCTAssertEqual(error.domain, "Rolodex")
            XCTAssertEqual(error.userInfo[NSValidationKeyErrorKey] as? String, "digits")
        }
        context.rollback()
        XCTAssertFalse(context.hasChanges)
    }

    func testARatingHasAMaximum() {
        let person = Person(context: context)
        person.lastName = "Hopper"
        person.rating = 6
        XCTAssertThrowsError(try context.save()) { error in
            XCTAssertEqual((error as NSError).code, NSValidationNumberTooLargeError)
        }
    }

    func testMeetingsKeepTheirOrder() throws {
        let meeting = Meeting(context: context)
        meeting.title = "Standup"
        meeting.date = NSDate(timeIntervalSinceNow: 60)
        for name in ["c", "a", "b"] {
            let person = Person(context: context)
            person.lastName = name
            meeting.invite(person)
        }
        let past = Meeting(context: context)
        past.title = "Retro"
        past.date = NSDate(timeIntervalSinceNow: -60)
        stack.saveContext()
        context.reset()
        let meetings = try Meeting.upcoming(in: context)
        XCTAssertEqual(meetings.map { $0.title }, ["Standup"])
        let names = meetings[0].participants.array.map { ($0 as! Person).lastName }
        XCTAssertEqual(names, ["c", "a", "b"])
    }

    func testSavesOfTheBackgroundAreMerged() throws {
        let person = Person(context: context)
        person.lastName = "Hopper"
        stack.saveContext()
        expectation(forNotification: .NSManagedObjectContextDidSave, object: stack.backgroundContext)
        let id = person.objectID
        let background = stack.backgroundContext
        background.performAndWait {
            let copy = background.object(with: id) as! Person
            copy.firstName = "Grace"
            try! background.save()
        }
        waitForExpectations(timeout: 5)
        XCTAssertEqual(person.firstName, "Grace")
        XCTAssertEqual(stack.numberOfSaves, 2)
    }

    func testPerformanceExample() {
        // This is an example of a performance test case.
        measure {
            // Put the code you want to measure the time of here.
            for number in 0..<100 {
                let person = Person(context: context)
                person.lastName = "Person \(number)"
            }
            stack.saveContext()
        }
    }
}
