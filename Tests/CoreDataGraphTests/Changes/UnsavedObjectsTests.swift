// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite struct UnsavedObjectsTests {
  private final class Owner {}
  private let owner = Owner()
  private let registry: ObjectRegistry

  init() throws {
    var draft = ModelDraft()
    draft.entities = [EntityDraft(name: "Team")]
    registry = ObjectRegistry(model: try ModelDefinition(draft), modelObject: owner, owner: owner)
  }

  private func objects(_ count: Int) throws -> [GraphObject] {
    try (1...Int64(count)).map { number in
      let key = try #require(ObjectKey(store: 0, entity: 0, number: number))
      return GraphObject(registry: registry, key: key, flags: [])
    }
  }

  private func numbers(_ objects: [GraphObject]) -> [Int64] { objects.map(\.key.number) }

  @Test func aGroupIsInTheOrderOfEntryAlsoAfterObjectsHaveLeft() throws {
    let objects = try objects(5)
    var unsaved = UnsavedObjects()
    for object in objects { unsaved.update(object) }
    unsaved.remove(objects[1])
    unsaved.delete(objects[3])
    #expect(numbers(unsaved.updated) == [1, 3, 5])
    #expect(numbers(unsaved.deleted) == [4])
    #expect(unsaved.inserted.isEmpty)
  }

  @Test func anObjectThatLeavesAndReturnsIsInItsGroupOnceAndLast() throws {
    let objects = try objects(3)
    var unsaved = UnsavedObjects()
    for object in objects { unsaved.insert(object) }
    for _ in 0..<3 {
      unsaved.remove(objects[0])
      unsaved.insert(objects[0])
    }
    #expect(numbers(unsaved.inserted) == [2, 3, 1])
  }

  @Test func aNewObjectThatIsDeletedIsInNoGroup() throws {
    let objects = try objects(2)
    var unsaved = UnsavedObjects()
    for object in objects { unsaved.insert(object) }
    unsaved.delete(objects[0])
    #expect(numbers(unsaved.inserted) == [2] && unsaved.deleted.isEmpty)
    #expect(objects[0].flags.contains([.discarded, .deleted]))
    unsaved.delete(objects[1])
    #expect(unsaved.isEmpty)
  }

  @Test func emptiedGroupsLeaveNoFlags() throws {
    let objects = try objects(3)
    var unsaved = UnsavedObjects()
    unsaved.insert(objects[0])
    unsaved.update(objects[1])
    unsaved.delete(objects[2])
    #expect(!unsaved.isEmpty)
    unsaved.removeAll()
    #expect(unsaved.isEmpty && unsaved.inserted.isEmpty && unsaved.deleted.isEmpty)
    #expect(objects.allSatisfy { $0.flags.isEmpty })
  }

  /// Random moves, against arrays from which objects are removed one by one.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func groupsAreWhatListsWouldBe(seed: UInt64) throws {
    var random = LawRandom(seed: seed)
    let objects = try objects(40)
    var unsaved = UnsavedObjects()
    var lists: [[Int64]] = [[], [], []]
    for _ in 0..<600 {
      let object = objects[Int.random(in: 0..<40, using: &random)]
      let number = object.key.number
      let before = lists.firstIndex { $0.contains(number) }
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where before == nil && object.flags.isEmpty:
        unsaved.insert(object)
        lists[0].append(number)
      case 1 where before == nil && object.flags.isEmpty:
        unsaved.update(object)
        lists[1].append(number)
      case 2 where before != 2 && object.flags.isDisjoint(with: .discarded):
        unsaved.delete(object)
        if let before { lists[before].removeAll { $0 == number } }
        if before != 0 { lists[2].append(number) }
      case 3:
        unsaved.remove(object)
        object.flags.remove(.discarded)
        if let before { lists[before].removeAll { $0 == number } }
      default: break
      }
      #expect(unsaved.isEmpty == lists.allSatisfy(\.isEmpty))
      // Rarely read, so that places of objects that left pile up.
      if Int.random(in: 0..<50, using: &random) > 0 { continue }
      #expect(numbers(unsaved.inserted) == lists[0])
      #expect(numbers(unsaved.updated) == lists[1])
      #expect(numbers(unsaved.deleted) == lists[2])
    }
  }

  @Test func leavingCostsTheSameHoweverManyObjectsThereAre() throws {
    func visits(_ count: Int) throws -> Int {
      let objects = try objects(count)
      var unsaved = UnsavedObjects()
      for object in objects { unsaved.update(object) }
      // Between two departures it is asked whether anything is left.
      for object in objects where !unsaved.isEmpty { unsaved.remove(object) }
      for object in objects {
        unsaved.insert(object)
        unsaved.delete(object)
      }
      return unsaved.visits
    }
    let few = try visits(1_000)
    let many = try visits(4_000)
    #expect(few > 0 && many <= 5 * few)
  }
}
