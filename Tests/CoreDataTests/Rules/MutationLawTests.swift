// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Random edits of a graph with every kind of relationship, through every way to change one: inverses
/// always agree, and what was saved comes back in another context and after faulting.
@Suite struct MutationLawTests {
  @Test(
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType],
    [11, 12, 13, 14] as [UInt64]
  )
  func inversesAgreeAndComeBack(type: String, seed: UInt64) throws {
    let web = try WebStack(type)
    var random = RandomSteps(state: seed)
    var edits = WebEdits(web: web)
    for number in 0..<4 { try edits.make(number, &random) }
    for round in 0..<80 {
      for _ in 0...random.below(5) { try edits.step(&random) }
      switch random.below(8) {
      case 0: web.context.rollback()
      case 1: web.context.processPendingChanges()
      case 2:
        try web.save()
        let other = web.stack.container.newBackgroundContext()
        #expect(
          try WebEdits.picture(other) == WebEdits.picture(web.context),
          "another context, round \(round)"
        )
      case 3:
        try web.save()
        let before = try WebEdits.picture(web.context)
        web.context.refreshAllObjects()
        #expect(try WebEdits.picture(web.context) == before, "faulted, round \(round)")
      default: break
      }
      web.context.processPendingChanges()
      let broken = try WebEdits.disagreements(web.context)
      try #require(broken.isEmpty, "round \(round) after \(edits.log.suffix(8)): \(broken)")
    }
  }
}

/// The edits, and what they must not break.
private struct WebEdits {
  let web: WebStack
  var log: [String] = []
  private var made = 0

  init(web: WebStack) { self.web = web }

  static func all(
    _ entity: String,
    _ context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try context.fetch(request)
  }

  private func some(
    _ entity: String,
    _ random: inout RandomSteps,
    atMost limit: Int = 3
  ) throws -> [NSManagedObject] {
    let all = try Self.all(entity, web.context)
    guard !all.isEmpty else { return [] }
    var picked: [NSManagedObject] = []
    for _ in 0..<random.below(limit + 1) {
      let next = all[random.below(all.count)]
      if !picked.contains(next) { picked.append(next) }
    }
    return picked
  }

  private func one(_ entity: String, _ random: inout RandomSteps) throws -> NSManagedObject? {
    let all = try Self.all(entity, web.context)
    return all.isEmpty ? nil : all[random.below(all.count)]
  }

  mutating func make(_ number: Int, _ random: inout RandomSteps) throws {
    made += 1
    let name = "\(made + 1000)"
    switch number % 4 {
    case 0: _ = try web.node(name)
    case 1: _ = try web.node(name, "Leaf")
    case 2: _ = web.thing(name)
    default: _ = web.stack.make("Group", ["name": name])
    }
  }

  mutating func step(_ random: inout RandomSteps) throws {
    guard let node = try one("Node", &random) as? Node else { return try make(0, &random) }
    let kind = random.below(19)
    log.append("\(kind) \(node.name ?? "")")
    switch kind {
    case 0...2: try make(random.below(4), &random)
    case 3: node.parent = try one("Node", &random) as? Node
    case 4: node.spouse = random.below(4) == 0 ? nil : try one("Node", &random) as? Node
    case 5:
      node.setValue(try one("Node", &random), forKey: random.below(2) == 0 ? "next" : "previous")
    case 6: node.setValue(NSSet(array: try some("Node", &random)), forKey: "children")
    case 7: node.mutableSetValue(forKey: "friends").addObjects(from: try some("Node", &random))
    case 8: node.mutableSetValue(forKey: "friends").minus(Set(try some("Node", &random)))
    case 9: node.mutableSetValue(forKey: "groups").setSet(Set(try some("Group", &random)))
    case 10: node.items = NSOrderedSet(array: try some("Thing", &random, atMost: 5))
    case 11: try editItems(node, &random)
    case 12:
      let proxy = node.mutableOrderedSetValue(forKey: "items")
      if proxy.count > 1 { proxy.moveObjects(at: [0], to: proxy.count - 1) }
    case 13:
      let group = try one("Group", &random)
      group?.setValue(NSOrderedSet(array: try some("Node", &random)), forKey: "members")
      let leaves = try some("Leaf", &random)
      group?.mutableSetValue(forKey: "leaves").union(Set(leaves))
    case 14:
      node.willChangeValue(forKey: "parent")
      node.setPrimitiveValue(try one("Node", &random), forKey: "parent")
      node.didChangeValue(forKey: "parent")
    case 15:
      node.willChangeValue(forKey: "children")
      node.setPrimitiveValue(NSSet(array: try some("Node", &random)), forKey: "children")
      node.didChangeValue(forKey: "children")
    case 16: web.context.refresh(node, mergeChanges: random.below(2) == 0)
    case 17:
      node.setValue(try one("Thing", &random), forKey: "favourite")
      node.mutableSetValue(forKey: "likes").addObjects(from: try some("Thing", &random))
    default: try delete(&random)
    }
  }

  private func editItems(_ node: Node, _ random: inout RandomSteps) throws {
    let count = node.items?.count ?? 0
    guard let thing = try one("Thing", &random) else { return }
    switch random.below(4) {
    case 0: node.insertIntoItems(thing, at: random.below(count + 1))
    case 1 where count > 0: node.removeFromItems(at: random.below(count))
    case 2 where count > 0 && node.items?.contains(thing) == false:
      node.replaceItems(at: random.below(count), with: thing)
    default: thing.setValue(node, forKey: "owner")
    }
  }

  /// Deletes something that no relationship without inverse leads to.
  private func delete(_ random: inout RandomSteps) throws {
    guard let victim = try one(["Node", "Group"][random.below(2)], &random) else { return }
    web.context.delete(victim)
  }

  // MARK: Laws

  /// Every link that is not seen from its other side, or leads to a deleted object.
  static func disagreements(_ context: NSManagedObjectContext) throws -> [String] {
    var found: [String] = []
    for entity in ["Node", "Thing", "Group"] {
      for object in try all(entity, context) {
        for (name, relationship) in object.entity.relationshipsByName {
          for other in object.destinations(name) {
            if other.isDeleted { found.append("\(label(object)).\(name) → deleted") }
            guard let inverse = relationship.inverseRelationship?.name else { continue }
            if !other.destinations(inverse).contains(object) {
              found.append("\(label(object)).\(name) → \(label(other)), not back by \(inverse)")
            }
          }
        }
      }
    }
    return found
  }

  private static func label(_ object: NSManagedObject) -> String {
    "\(object.entity.name ?? "") \(object.value(forKey: "name") ?? "nil")"
  }

  /// Names and links of everything.
  static func picture(_ context: NSManagedObjectContext) throws -> [String] {
    try ["Node", "Thing", "Group"].flatMap { entity in
      try all(entity, context).map { object in
        let links = object.entity.relationshipsByName.keys.sorted().map { name in
          let labels = object.destinations(name).map(label)
          let isOrdered = object.entity.relationshipsByName[name]?.isOrdered == true
          return "\(name): \(isOrdered ? labels : labels.sorted())"
        }
        return "\(label(object)) \(links)"
      }
    }
  }
}
