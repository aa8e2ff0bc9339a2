// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing

/// Saves of so many changed objects that one statement writes the rows of all.
@Suite(
  "Many changed objects in a PostgreSQL database",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
@MainActor
struct PostgreSQLManyChangesTests {
  private static let kinds: [(String, NSAttributeType)] = [
    ("small", .integer16AttributeType), ("large", .integer64AttributeType),
    ("ratio", .doubleAttributeType), ("price", .decimalAttributeType),
    ("isOpen", .booleanAttributeType), ("made", .dateAttributeType),
    ("text", .stringAttributeType), ("uid", .UUIDAttributeType), ("site", .URIAttributeType),
    ("data", .binaryDataAttributeType),
  ]

  private static func model() -> NSManagedObjectModel {
    let item = NSEntityDescription()
    item.name = "Item"
    item.properties = kinds.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    let next = NSRelationshipDescription()
    next.name = "next"
    next.destinationEntity = item
    next.maxCount = 1
    next.isOptional = true
    next.deleteRule = .nullifyDeleteRule
    let previous = NSRelationshipDescription()
    previous.name = "previous"
    previous.destinationEntity = item
    previous.maxCount = 0
    previous.isOrdered = true
    previous.isOptional = true
    previous.deleteRule = .nullifyDeleteRule
    next.inverseRelationship = previous
    previous.inverseRelationship = next
    item.properties += [next, previous]
    let model = NSManagedObjectModel()
    model.entities = [item]
    return model
  }

  private static func value(_ type: NSAttributeType, _ number: Int) -> Any? {
    if number % 5 == 0 { return nil }
    switch type {
    case .integer16AttributeType: return number % 1_000 - 500
    case .integer64AttributeType: return number * 4_000_000_007
    case .doubleAttributeType: return Double(number) / 7
    case .decimalAttributeType: return Decimal(string: "\(number).\(number)")
    case .booleanAttributeType: return number % 2 == 0
    case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number) + 0.25)
    case .stringAttributeType: return number % 7 == 0 ? "" : "Text {\"\(number)\"} \\, é"
    case .UUIDAttributeType:
      return UUID(uuidString: String(format: "00000000-0000-4000-8000-%012d", number))
    case .URIAttributeType: return URL(string: "https://example.org/\(number)")
    case .binaryDataAttributeType: return Data([0, 1, UInt8(number % 256)])
    default: return nil
    }
  }

  @Test("Values of every type, and nil, are those that were set", arguments: [7, 8, 60, 2_100])
  func everyType(_ count: Int) throws {
    try PostgreSQLStack.with { stack in
      let context = try stack.container(Self.model()).viewContext
      let items = (0..<count).map { _ in
        NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
      }
      try context.save()
      for (index, item) in items.enumerated() {
        for (position, (name, type)) in Self.kinds.enumerated() {
          item.setValue(Self.value(type, index + position), forKey: name)
        }
        // The last ones change one property only, and are rows of another form.
        if index >= 10 { item.setValue(items[index / 2], forKey: "next") }
      }
      try context.save()
      let other = try stack.container(Self.model()).viewContext
      for (index, item) in items.enumerated() {
        let read = other.object(with: item.objectID)
        for (position, (name, type)) in Self.kinds.enumerated() {
          let expected = Self.value(type, index + position) as? NSObject
          #expect(read.value(forKey: name) as? NSObject == expected, "\(name) of item \(index)")
        }
        let next = (read.value(forKey: "next") as? NSManagedObject)?.objectID
        #expect(next == (index >= 10 ? items[index / 2].objectID : nil))
      }
      let stored = try #require(
        other.object(with: items[5].objectID).value(forKey: "previous") as? NSOrderedSet
      )
      let mine = try #require(items[5].value(forKey: "previous") as? NSOrderedSet)
      let ids = stored.compactMap { ($0 as? NSManagedObject)?.objectID }
      #expect(ids == mine.compactMap { ($0 as? NSManagedObject)?.objectID })
    }
  }

  @Test("A conflict names the objects that another save has changed or deleted, and no others")
  func conflicts() throws {
    try PostgreSQLStack.with { stack in
      let one = try stack.container().viewContext
      for number in 0..<50 { stack.add(String(format: "Team %02d", number), wins: 1, to: one) }
      try one.save()
      let other = try stack.container().viewContext
      let mine = try stack.teams(one)
      let yours = try stack.teams(other)
      for team in yours { #expect(team.value(forKey: "wins") as? Int == 1) }
      mine[3].setValue(3, forKey: "wins")
      mine[30].setValue(30, forKey: "wins")
      one.delete(mine[40])
      try one.save()
      for team in yours { team.setValue("New", forKey: "name") }
      let error = #expect(throws: (any Error).self) { try other.save() } as NSError?
      #expect(error?.code == NSManagedObjectMergeError)
      let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
      let ids = Set((conflicts ?? []).map(\.sourceObject.objectID))
      #expect(ids == [yours[3].objectID, yours[30].objectID, yours[40].objectID])
      let stored = try stack.teams(stack.container().viewContext)
      #expect(stored.allSatisfy { $0.value(forKey: "name") as? String != "New" })
    }
  }

  @Test("A value that is not unique among many changes is a constraint conflict with its object")
  func constraint() throws {
    try PostgreSQLStack.with { stack in
      let one = try stack.container().viewContext
      stack.add("Owner", wins: 1, code: "C7", to: one)
      for number in 0..<50 { stack.add(String(format: "Team %02d", number), wins: 1, to: one) }
      try one.save()
      let other = try stack.container().viewContext
      let teams = try stack.teams(other).filter { $0.value(forKey: "code") == nil }
      for (number, team) in teams.enumerated() { team.setValue("C\(number)", forKey: "code") }
      let error = #expect(throws: (any Error).self) { try other.save() } as NSError?
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey]
      let constraints = try #require(conflicts as? [NSConstraintConflict])
      #expect(constraints.first?.conflictingObjects.map(\.objectID) == [teams[7].objectID])
      #expect(teams.allSatisfy { $0.hasChanges })
    }
  }

  @Test("Many objects can exchange their unique values")
  func exchange() throws {
    try PostgreSQLStack.with { stack in
      let one = try stack.container().viewContext
      for number in 0..<50 {
        stack.add(String(format: "Team %02d", number), wins: 1, code: "\(number)", to: one)
      }
      try one.save()
      let teams = try stack.teams(one)
      for (number, team) in teams.enumerated() { team.setValue("\(49 - number)", forKey: "code") }
      try one.save()
      let read = try stack.teams(stack.container().viewContext)
      #expect(
        read.map { $0.value(forKey: "code") as? String } == (0..<50).map { "\(49 - $0)" }
      )
    }
  }
}
#endif
