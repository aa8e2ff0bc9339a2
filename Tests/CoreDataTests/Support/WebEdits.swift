// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Random edits of a web, through every way to change a relationship.
struct WebEdits: RandomEdits {
  let context: NSManagedObjectContext
  /// Whether objects are also refreshed, which drops changes and cannot be undone.
  var refreshes = false
  private static let entities = ["Node", "Thing", "Group"]

  init(context: NSManagedObjectContext, refreshes: Bool = false) {
    self.context = context
    self.refreshes = refreshes
  }

  func all(_ entity: String) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try context.fetch(request)
  }

  private func some(
    _ entity: String,
    _ random: inout RandomSteps,
    atMost limit: Int = 3
  ) throws -> [NSManagedObject] {
    let all = try all(entity)
    guard !all.isEmpty else { return [] }
    var picked: [NSManagedObject] = []
    for _ in 0..<random.below(limit + 1) {
      let next = all[random.below(all.count)]
      if !picked.contains(next) { picked.append(next) }
    }
    return picked
  }

  private func one(_ entity: String, _ random: inout RandomSteps) throws -> NSManagedObject? {
    let all = try all(entity)
    return all.isEmpty ? nil : all[random.below(all.count)]
  }

  private func make(_ random: inout RandomSteps, _ prefix: String) {
    let kind = ["Node", "Leaf", "Thing", "Group"][random.below(4)]
    let object = NSEntityDescription.insertNewObject(forEntityName: kind, into: context)
    object.setValue("\(prefix)\(random.below(1_000_000_000))", forKey: "name")
  }

  func edit(_ random: inout RandomSteps, prefix: String, deleting: Bool) throws {
    guard let node = try one("Node", &random) as? Node else { return make(&random, prefix) }
    switch random.below(22) {
    case 0...2: make(&random, prefix)
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
    case 14: setByHand(try one("Node", &random), "parent", of: node)
    case 15: setByHand(NSSet(array: try some("Node", &random)), "children", of: node)
    case 16:
      let merges = random.below(2) == 0
      if refreshes { context.refresh(node, mergeChanges: merges) }
    case 17:
      node.setValue(try one("Thing", &random), forKey: "favourite")
      try like(try some("Thing", &random), node)
    case 18: node.rank = Int32(random.below(100))
    case 19: node.cache = random.below(3) == 0 ? nil : "cached \(random.below(100))"
    case 20: node.setValue("live \(random.below(100))", forKey: "live")
    default: if deleting { try delete(&random) }
    }
  }

  /// A file has one place for the owner of a member without inverse, so others lose it.
  private func like(_ things: [NSManagedObject], _ node: Node) throws {
    for other in try all("Node") where other !== node {
      for thing in things where other.destinations("likes").contains(thing) {
        other.mutableSetValue(forKey: "likes").remove(thing)
      }
    }
    node.mutableSetValue(forKey: "likes").addObjects(from: things)
  }

  private func setByHand(_ value: Any?, _ key: String, of node: Node) {
    node.willChangeValue(forKey: key)
    node.setPrimitiveValue(value, forKey: key)
    node.didChangeValue(forKey: key)
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
    context.delete(victim)
  }

  // MARK: Reading

  func disagreements() throws -> [String] {
    var found = try context.checkInvariants(followingLinks: false)
    for entity in Self.entities {
      for object in try all(entity) {
        for (name, relationship) in object.entity.relationshipsByName {
          for other in object.destinations(name) {
            if other.isDeleted { found.append("\(Self.label(object)).\(name) → deleted") }
            guard let inverse = relationship.inverseRelationship?.name else { continue }
            if !other.destinations(inverse).contains(object) {
              found.append(
                "\(Self.label(object)).\(name) → \(Self.label(other)), not back by \(inverse)"
              )
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

  func picture(transients: Bool) throws -> [String] {
    try Self.entities.flatMap { entity in
      try all(entity).map { object in
        let shown = object.entity.attributesByName.filter { transients || !$0.value.isTransient }
        let values = shown.keys.sorted().map { name in
          "\(name): \(object.value(forKey: name).map { "\($0)" } ?? "nil")"
        }
        let links = object.entity.relationshipsByName.keys.sorted().map { name in
          let labels = object.destinations(name).map(Self.label)
          let isOrdered = object.entity.relationshipsByName[name]?.isOrdered == true
          return "\(name): \(isOrdered ? labels : labels.sorted())"
        }
        return "\(Self.label(object)) \(values) \(links)"
      }
    }
  }
}
