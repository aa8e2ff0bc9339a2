// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Random edits of every kind of relationship: both sides always agree, and another context reads
/// what was saved.
@Suite struct RelationshipLawTests {
  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType], lawSeeds(3))
  func bothSidesAgreeAndComeBack(type: String, seed: UInt64) throws {
    let stack = try LibraryStack(type)
    var random = RandomSteps(state: seed)
    for round in 0..<60 {
      for _ in 0..<random.below(8) + 1 { try edit(stack, &random) }
      switch random.below(6) {
      case 0: stack.context.rollback()
      case 1, 2:
        try stack.context.save()
        #expect(
          try picture(stack.container.newBackgroundContext()) == picture(stack.context),
          "round \(round)"
        )
      case 3: stack.context.processPendingChanges()
      default: break
      }
      try expectAgreement(stack.context, round)
      try stack.requireLiveLinks("round \(round)")
    }
    try stack.context.save()
    #expect(try picture(stack.container.newBackgroundContext()) == picture(stack.context))
  }

  private func all(_ entity: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject]
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    if entity == "Book" || entity == "Novel" {
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    }
    if entity == "Cover" {
      request.sortDescriptors = [NSSortDescriptor(key: "colour", ascending: true)]
    }
    return try context.fetch(request)
  }

  private func pick(
    _ entity: String,
    _ stack: LibraryStack,
    _ random: inout RandomSteps
  ) throws -> NSManagedObject? {
    let all = try all(entity, stack.context)
    return all.isEmpty ? nil : all[random.below(all.count)]
  }

  private func edit(_ stack: LibraryStack, _ random: inout RandomSteps) throws {
    let name = "n\(random.below(1_000_000))"
    switch random.below(14) {
    case 0: _ = stack.make("Author", ["name": name])
    case 1, 2: _ = stack.make(random.below(2) == 0 ? "Book" : "Novel", ["title": name])
    case 3: _ = stack.make("Tag", ["name": name])
    case 4: _ = stack.make("Chapter", ["name": name])
    case 5: _ = stack.make("Cover", ["colour": name])
    case 6, 7:
      try pick("Book", stack, &random)?
        .setValue(random.below(4) == 0 ? nil : pick("Author", stack, &random), forKey: "author")
    case 8, 9:
      let tags = try [pick("Tag", stack, &random), pick("Tag", stack, &random)].compactMap { $0 }
      try pick("Book", stack, &random)?.setValue(NSSet(array: tags), forKey: "tags")
    case 10:
      let books = try [pick("Book", stack, &random)].compactMap { $0 }
      try pick("Tag", stack, &random)?.setValue(NSSet(array: books), forKey: "books")
    case 11:
      var chapters = try all("Chapter", stack.context)
      if !chapters.isEmpty { chapters.rotate(by: random.below(chapters.count)) }
      try pick("Book", stack, &random)?
        .setValue(NSOrderedSet(array: Array(chapters.prefix(3))), forKey: "chapters")
    case 12:
      try pick("Cover", stack, &random)?.setValue(pick("Book", stack, &random), forKey: "book")
    default:
      // A cover denies its deletion while it has a book, so it is not deleted here.
      let kind = ["Author", "Book", "Tag", "Chapter"][random.below(4)]
      if let object = try pick(kind, stack, &random) { stack.context.delete(object) }
    }
  }

  /// Every link seen from one side is seen from the other.
  private func expectAgreement(_ context: NSManagedObjectContext, _ round: Int) throws {
    context.processPendingChanges()
    #expect(try context.checkInvariants() == [], "round \(round)")
    for entity in ["Author", "Book", "Tag", "Chapter", "Cover"] {
      for object in try all(entity, context) {
        for (name, relationship) in object.entity.relationshipsByName {
          guard let inverse = relationship.inverseRelationship?.name else { continue }
          for other in destinations(object, name) {
            #expect(
              destinations(other, inverse).contains(object),
              "round \(round): \(entity).\(name) leads to an object whose \(inverse) does not lead back"
            )
            #expect(!other.isDeleted, "round \(round): \(entity).\(name) leads to a deleted object")
          }
        }
      }
    }
  }

  private func destinations(_ object: NSManagedObject, _ name: String) -> [NSManagedObject] {
    switch object.value(forKey: name) {
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    case let one as NSManagedObject: [one]
    default: []
    }
  }

  /// Names and links of everything, to compare two contexts.
  private func picture(_ context: NSManagedObjectContext) throws -> [String] {
    func label(_ object: NSManagedObject) -> String {
      for key in ["name", "title", "colour"] where object.entity.attributesByName[key] != nil {
        return object.value(forKey: key) as? String ?? "nil"
      }
      return "?"
    }
    return try ["Author", "Book", "Tag", "Chapter", "Cover"].flatMap { entity in
      try all(entity, context).map { object in
        let links = object.entity.relationshipsByName.keys.sorted().map { name in
          let labels = destinations(object, name).map(label)
          let ordered = object.entity.relationshipsByName[name]?.isOrdered == true
          return "\(name): \(ordered ? labels : labels.sorted())"
        }
        return "\(object.entity.name ?? "") \(label(object)) \(links)"
      }
    }
  }
}

extension Array {
  fileprivate mutating func rotate(by count: Int) {
    self = Array(self[count...] + self[..<count])
  }
}
