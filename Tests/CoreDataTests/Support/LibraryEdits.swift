// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Random edits of one world's objects in a context, and pictures of what came of them.
protocol RandomEdits {
  var context: NSManagedObjectContext { get }
  /// One random edit; what it makes is labelled with the help of `prefix`.
  func edit(_ random: inout RandomSteps, prefix: String, deleting: Bool) throws
  /// Values and links of everything, to compare two contexts or two moments.
  func picture(transients: Bool) throws -> [String]
  /// What one side of a relationship shows and the other does not; empty where all agree.
  func disagreements() throws -> [String]
}

extension RandomEdits {
  func edit(_ random: inout RandomSteps) throws {
    try edit(&random, prefix: "n", deleting: true)
  }

  /// Without what is not stored.
  func picture() throws -> [String] { try picture(transients: false) }
}

/// Where random laws start: as many seeds as the test says, or `COREDATA_LAW_SEEDS` for a longer run, from 1 or from
/// `COREDATA_LAW_SEED` on.
func lawSeeds(_ count: Int) -> [UInt64] {
  let settings = ProcessInfo.processInfo.environment
  let wanted = settings["COREDATA_LAW_SEEDS"].flatMap(UInt64.init) ?? UInt64(count)
  let first = settings["COREDATA_LAW_SEED"].flatMap(UInt64.init) ?? 1
  return Array(first..<first + wanted)
}

/// The models that laws are tried on.
enum RandomWorld: String, CaseIterable, Sendable {
  /// Books: cascades, a denial, an ordered relationship, values of every type.
  case library
  /// Nodes: every cardinality, to itself and to a sub-entity, with and without inverse, transients.
  case web

  /// An entity with a name whose objects need nothing else.
  var freeEntity: String { self == .library ? "Tag" : "Thing" }

  func model() -> NSManagedObjectModel { self == .library ? Library.model() : Web.model() }

  func edits(_ context: NSManagedObjectContext) -> any RandomEdits {
    self == .library ? LibraryEdits(context: context) : WebEdits(context: context)
  }

  /// What a context that knows nothing reads from the stack's store.
  func stored(_ stack: LibraryStack) throws -> [String] {
    try edits(stack.container.newBackgroundContext()).picture()
  }
}

/// Random edits of every kind of property in a library, and pictures of what came of them.
struct LibraryEdits: RandomEdits {
  let context: NSManagedObjectContext
  static let entities = ["Author", "Book", "Tag", "Chapter", "Cover"]

  static func labelKey(_ entity: String) -> String {
    switch entity {
    case "Book", "Novel": "title"
    case "Cover": "colour"
    default: "name"
    }
  }

  func all(_ entity: String) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: Self.labelKey(entity), ascending: true)]
    return try context.fetch(request)
  }

  private func pick(_ entity: String, _ random: inout RandomSteps) throws -> NSManagedObject? {
    let all = try all(entity)
    return all.isEmpty ? nil : all[random.below(all.count)]
  }

  private func make(_ entity: String, _ label: String) {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValue(label, forKey: Self.labelKey(entity))
  }

  /// Covers, which deny their deletion while they have a book, are not deleted.
  func edit(_ random: inout RandomSteps, prefix: String = "n", deleting: Bool = true) throws {
    let name = "\(prefix)\(random.below(1_000_000_000))"
    switch random.below(deleting ? 18 : 17) {
    case 0: make("Author", name)
    case 1: make(random.below(2) == 0 ? "Book" : "Novel", name)
    case 2: make("Tag", name)
    case 3: make("Chapter", name)
    case 4: make("Cover", name)
    case 5, 6: try pick("Book", &random)?.setValue(random.below(1000), forKey: "pages")
    case 7:
      try pick("Book", &random)?
        .setValue(random.below(2) == 0 ? nil : Double(random.below(100)), forKey: "price")
    case 8, 9:
      let author = random.below(4) == 0 ? nil : try pick("Author", &random)
      try pick("Book", &random)?.setValue(author, forKey: "author")
    case 10, 11:
      let tags = try [pick("Tag", &random), pick("Tag", &random)].compactMap { $0 }
      try pick("Book", &random)?.setValue(NSSet(array: tags), forKey: "tags")
    case 12:
      let books = try [pick("Book", &random)].compactMap { $0 }
      try pick("Tag", &random)?.setValue(NSSet(array: books), forKey: "books")
    case 13:
      let chapters = try all("Chapter")
      let first = chapters.isEmpty ? 0 : random.below(chapters.count)
      let turned = Array(chapters[first...] + chapters[..<first])
      try pick("Book", &random)?
        .setValue(NSOrderedSet(array: Array(turned.prefix(3))), forKey: "chapters")
    case 14: try pick("Cover", &random)?.setValue(pick("Book", &random), forKey: "book")
    case 15, 16: try editOtherTypes(&random)
    default:
      let kind = ["Author", "Book", "Tag", "Chapter"][random.below(4)]
      if let object = try pick(kind, &random) { context.delete(object) }
    }
  }

  private func editOtherTypes(_ random: inout RandomSteps) throws {
    guard let book = try pick("Book", &random) else { return }
    let number = random.below(1000)
    switch random.below(4) {
    case 0: book.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "published")
    case 1:
      let digits = String(repeating: "0", count: 8) + String(1000 + number)
      book.setValue(UUID(uuidString: "00000000-0000-0000-0000-\(digits)"), forKey: "isbn")
    case 2: book.setValue(number % 3 == 0 ? nil : number % 3 == 1, forKey: "isLent")
    default: if book.entity.name == "Novel" { book.setValue("h\(number)", forKey: "hero") }
    }
  }

  // MARK: Reading

  static func destinations(_ object: NSManagedObject, _ name: String) -> [NSManagedObject] {
    switch object.value(forKey: name) {
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    case let one as NSManagedObject: [one]
    default: []
    }
  }

  static func label(_ object: NSManagedObject) -> String {
    object.value(forKey: labelKey(object.entity.name ?? "")) as? String ?? "nil"
  }

  func picture(transients: Bool) throws -> [String] {
    try Self.entities.flatMap { entity in
      try all(entity).map { object in
        let values = object.entity.attributesByName.keys.sorted().map { name in
          "\(name): \(object.value(forKey: name).map { "\($0)" } ?? "nil")"
        }
        let links = object.entity.relationshipsByName.keys.sorted().map { name in
          let labels = Self.destinations(object, name).map(Self.label)
          let isOrdered = object.entity.relationshipsByName[name]?.isOrdered == true
          return "\(name): \(isOrdered ? labels : labels.sorted())"
        }
        return "\(object.entity.name ?? "") \(values) \(links)"
      }
    }
  }

  func disagreements() throws -> [String] {
    var found = try context.checkInvariants(followingLinks: false)
    for entity in Self.entities {
      for object in try all(entity) {
        for (name, relationship) in object.entity.relationshipsByName {
          guard let inverse = relationship.inverseRelationship?.name else { continue }
          for other in Self.destinations(object, name) {
            if other.isDeleted {
              found.append("\(entity).\(name) of \(Self.label(object)) leads to a deleted object")
            } else if !Self.destinations(other, inverse).contains(object) {
              found.append(
                "\(entity).\(name) of \(Self.label(object)) leads to \(Self.label(other)), whose "
                  + "\(inverse) does not lead back"
              )
            }
          }
        }
      }
    }
    return found
  }
}
