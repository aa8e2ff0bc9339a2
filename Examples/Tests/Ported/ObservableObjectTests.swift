// SPDX-License-Identifier: Apache-2.0

import CoreDataCompatibility
import Testing

@testable import Rolodex

/// Combine's names for managed objects, which `CoreDataCompatibility` declares with the trait OpenCombine.
///
/// On the main actor, because the context is the one of the main queue.
@MainActor @Suite struct ObservableObjectTests {
  private let stack = CoreDataStack(inMemory: true)
  private var context: NSManagedObjectContext { stack.viewContext }

  private func person(_ name: String) throws -> Person {
    let person = Person(context: context)
    person.lastName = name
    try context.save()
    return person
  }

  @Test("MO-25 objectWillChange publishes before each change, and is one publisher")
  func willChange() throws {
    let person = try person("a")
    #expect(person.objectWillChange === person.objectWillChange)
    var seen: [String?] = []
    let subscription = person.objectWillChange.sink { seen.append(person.lastName) }
    person.lastName = "b"
    person.setValue("c", forKey: "lastName")
    person.setPrimitiveValue("d", forKey: "lastName")
    person.rating = 1
    #expect(seen == ["a", "b", "d"], "primitive values are not published")
    subscription.cancel()
    person.lastName = "e"
    #expect(seen.count == 3)
  }

  @Test("MO-25 inverses, rollbacks, refreshes and merges are published")
  func otherChanges() throws {
    let person = try person("a")
    let team = Team(context: context)
    try context.save()
    var count = 0
    let subscription = person.objectWillChange.sink { count += 1 }
    team.members = NSSet(object: person)
    #expect(count == 1 && person.team == team)
    context.rollback()
    #expect(count == 2)
    context.refresh(person, mergeChanges: false)
    #expect(count == 3)
    #expect(person.lastName == "a" && count == 3, "firing a fault is not a change")
    let other = stack.persistentContainer.newBackgroundContext()
    let id = person.objectID
    try other.performAndWait {
      (try other.existingObject(with: id) as? Person)?.lastName = "b"
      try other.save()
    }
    #expect(person.lastName == "b" && count == 4, "the stack merges saves")
    subscription.cancel()
  }

  @Test("The publisher lives with its object, and retains neither it nor what subscribes")
  func lifetime() throws {
    weak var gone: Person?
    let publisher: ObservableObjectPublisher
    do {
      let person = try person("a")
      gone = person
      publisher = person.objectWillChange
    }
    context.reset()
    #expect(gone == nil)
    var count = 0
    let subscription = publisher.sink { count += 1 }
    publisher.send()
    #expect(count == 1)
    subscription.cancel()
  }

  @Test("publisher(for:) publishes the value now and after each change")
  func values() throws {
    let person = try person("a")
    var names: [String] = []
    let subscription = person.publisher(for: \.lastName).sink { names.append($0 ?? "nil") }
    person.lastName = "b"
    person.rating = 3
    context.rollback()
    #expect(names == ["a", "b", "a"])
    subscription.cancel()
    person.lastName = "c"
    #expect(names.count == 3)
    var ratings: [Int16] = []
    let later = person.publisher(for: \.rating, options: [.new, .prior]).sink { ratings.append($0) }
    person.rating = 4
    #expect(ratings == [0, 4], "before and after the change, and not now")
    later.cancel()
    #expect(person.publisher(for: \.rating) == person.publisher(for: \.rating))
    #expect(person.publisher(for: \.rating) != person.publisher(for: \.rating, options: .new))
  }

  @Test("A subscriber that demands less gets the newest value with its next demand")
  func demand() throws {
    final class Slow: Subscriber {
      var values: [String?] = []
      var subscription: (any Subscription)?
      func receive(subscription: any Subscription) { self.subscription = subscription }
      func receive(_ input: String?) -> Subscribers.Demand {
        values.append(input)
        return .none
      }
      func receive(completion: Subscribers.Completion<Never>) {}
    }
    let person = try person("a")
    let slow = Slow()
    person.publisher(for: \.lastName).subscribe(slow)
    person.lastName = "b"
    #expect(slow.values == [])
    slow.subscription?.request(.max(2))
    #expect(slow.values == ["b"])
    person.lastName = "c"
    person.lastName = "d"
    #expect(slow.values == ["b", "c"])
    slow.subscription?.request(.unlimited)
    #expect(slow.values == ["b", "c", "d"])
    slow.subscription?.cancel()
    person.lastName = "e"
    #expect(slow.values.count == 3)
  }

  @Test("A subscription that ends while it begins observes nothing")
  func early() throws {
    let person = try person("a")
    var names: [String?] = []
    let subscription = person.publisher(for: \.lastName).first().sink { names.append($0) }
    person.lastName = "b"
    #expect(names == ["a"])
    subscription.cancel()
  }

  @Test("Each bundle that stacks ask for the compiled model has it")
  func bundles() throws {
    for bundle in [Bundle.main, Bundle(for: CoreDataStack.self), Bundle.module] {
      let url = try #require(bundle.url(forResource: "Rolodex", withExtension: "momd"))
      #expect(NSManagedObjectModel(contentsOf: url)?.entities.count == 4, "\(bundle)")
    }
  }

  @Test("Notifications of a context are published")
  func notifications() throws {
    var saved: [Int] = []
    let subscription = NotificationCenter.default
      .publisher(for: .NSManagedObjectContextDidSave, object: context)
      .compactMap { ($0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count }
      .sink { saved.append($0) }
    _ = try person("a")
    #expect(saved == [1])
    subscription.cancel()
  }
}
