// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// How many members a to-many may have.
///
/// Source: documented, “NSRelationshipDescription” (`minCount`, `maxCount`); observed, stores of other
/// people's apps whose mandatory to-manys without a minimum are empty in every row.
@Suite("Rules of member counts (behaviour.md MOD-8, VAL-5)")
struct MemberCountRules {
  struct Case: Sendable, CustomTestStringConvertible {
    let isOptional: Bool
    let minimum: Int
    let maximum: Int
    let members: Int
    let code: Int?
    var testDescription: String {
      "\(isOptional ? "optional" : "mandatory") \(minimum)…\(maximum), \(members) members"
    }
  }

  static let cases = [
    Case(isOptional: false, minimum: 0, maximum: 0, members: 0, code: nil),
    Case(isOptional: true, minimum: 0, maximum: 0, members: 0, code: nil),
    Case(isOptional: false, minimum: 0, maximum: 2, members: 0, code: nil),
    Case(isOptional: false, minimum: 0, maximum: 2, members: 3, code: 1590),
    Case(isOptional: true, minimum: 0, maximum: 2, members: 3, code: 1590),
    Case(isOptional: false, minimum: 1, maximum: 0, members: 0, code: 1580),
    Case(isOptional: true, minimum: 1, maximum: 0, members: 0, code: nil),
    Case(isOptional: false, minimum: 2, maximum: 0, members: 1, code: 1580),
    Case(isOptional: true, minimum: 2, maximum: 0, members: 1, code: 1580),
    Case(isOptional: false, minimum: 1, maximum: 0, members: 1, code: nil),
  ]

  private func stack(_ rule: Case) throws -> LibraryStack {
    let group = Web.entity("Group", attributes: [Web.attribute("name", .stringAttributeType)])
    let member = Web.entity("Member", attributes: [Web.attribute("name", .stringAttributeType)])
    let members = Web.many(group, "members", member)
    members.isOptional = rule.isOptional
    members.minCount = rule.minimum
    members.maxCount = rule.maximum
    Web.link(members, Web.one(member, "group", group))
    let model = NSManagedObjectModel()
    model.entities = [group, member]
    return try LibraryStack(NSInMemoryStoreType, model: model)
  }

  private func code(_ body: () throws -> Void) -> Int? {
    do {
      try body()
      return nil
    } catch {
      return (error as NSError).code
    }
  }

  @Test(
    "Minimum and maximum alone decide; an optional to-many may also be empty",
    arguments: cases
  )
  func insert(rule: Case) throws {
    let stack = try stack(rule)
    let group = stack.make("Group", ["name": "g"])
    let members = (0..<rule.members).map { stack.make("Member", ["name": "\($0)"]) }
    group.setValue(Set(members), forKey: "members")
    var value: Any? = NSSet(array: members)
    #expect(code { try group.validateValue(&value, forKey: "members") } == rule.code)
    #expect(code { try group.validateForInsert() } == rule.code)
    #expect(code { try stack.context.save() } == rule.code)
  }

  @Test("A stored object that loses its members is held to the same rule", arguments: cases)
  func update(rule: Case) throws {
    if rule.members > 0 { return }
    let stack = try stack(rule)
    let group = stack.make("Group", ["name": "g"])
    let member = stack.make("Member", ["name": "m"])
    group.setValue(Set([member]), forKey: "members")
    try stack.context.save()
    group.setValue(Set<NSManagedObject>(), forKey: "members")
    #expect(code { try stack.context.save() } == rule.code)
  }
}
