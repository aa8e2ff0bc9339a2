// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The variables, messages and functions of value expressions.
@Suite("Mapping expressions")
struct MappingExpressionTests {
  /// Migrates three notes with an expression for `Entry.text`, and returns the texts.
  private func texts(
    _ expression: String,
    policy: NSEntityMigrationPolicy.Type? = nil,
    _ change: (NSMigrationManager) -> Void = { _ in }
  ) throws -> [String?] {
    let notes = try NotesMigration()
    try notes.fill(3)
    notes.note.attributeMappings = [
      NotesMigration.property("rank", "$source.rank"), NotesMigration.property("text", expression),
    ]
    notes.note.attributeMappings?.last?.userInfo = ["unit": "kg"]
    notes.note.userInfo = ["colour": "red"]
    notes.note.entityMigrationPolicyClassName = policy.map(MigrationPolicyClasses.name)
    let manager = notes.manager()
    change(manager)
    try notes.migrate(manager)
    return try notes.migrated("Entry", by: "rank").map { $0["text"] as? String }
  }

  @Test(
    "Expressions that Xcode and programs write are evaluated",
    arguments: [
      ("$source.title", ["note 0", "note 1", "note 2"]),
      ("FUNCTION($source, \"valueForKey:\", \"body\")", ["text 0", "text 1", "text 2"]),
      (
        "FUNCTION($source, \"valueForKeyPath:\", \"folder.name\")",
        ["folder 0", "folder 1", "folder 0"]
      ),
      ("$source.folder.name", ["folder 0", "folder 1", "folder 0"]),
      (
        "FUNCTION($source.title, \"stringByAppendingString:\", $source.body)",
        [
          "note 0text 0", "note 1text 1", "note 2text 2",
        ]
      ),
      ("uppercase:($source.title)", ["NOTE 0", "NOTE 1", "NOTE 2"]),
      ("\"constant\"", ["constant", "constant", "constant"]),
      ("TERNARY($source.rank > 0, $source.title, $source.body)", ["text 0", "note 1", "note 2"]),
      ("$entityMapping.name", Array(repeating: "NoteToEntry", count: 3)),
      ("$entityMapping.userInfo.colour", Array(repeating: "red", count: 3)),
      ("$propertyMapping.name", Array(repeating: "text", count: 3)),
      ("$propertyMapping.userInfo.unit", Array(repeating: "kg", count: 3)),
      ("FUNCTION($manager, \"userInfo\").place", Array(repeating: "Bern", count: 3)),
      ("$manager.userInfo.place", Array(repeating: "Bern", count: 3)),
      ("$manager.currentEntityMapping.name", Array(repeating: "NoteToEntry", count: 3)),
    ]
  )
  func evaluated(_ expression: String, _ expected: [String]) throws {
    #expect(try texts(expression) { $0.userInfo = ["place": "Bern"] } == expected)
  }

  @Test("A destination's own values can be used, in the order of the mappings")
  func destination() throws {
    let notes = try NotesMigration()
    try notes.fill(2)
    notes.note.attributeMappings = [
      NotesMigration.property("rank", "$source.rank"),
      NotesMigration.property("text", "CAST($destination.rank, \"NSString\")"),
    ]
    try notes.migrate()
    #expect(try notes.migrated("Entry", by: "rank").map { $0["text"] as? String } == ["0", "1"])
  }

  @Test("The functions of a policy are called with the values of their arguments")
  func functions() throws {
    let two = "FUNCTION($entityPolicy, \"join:with:\", $source.title, $source.body)"
    #expect(
      try texts(two, policy: FunctionPolicy.self) == [
        "note 0 + text 0", "note 1 + text 1", "note 2 + text 2",
      ]
    )
    let none = "FUNCTION($entityPolicy, \"greeting\")"
    #expect(try texts(none, policy: FunctionPolicy.self) == ["hello", "hello", "hello"])
    #expect(try texts("$entityPolicy.greeting", policy: FunctionPolicy.self).first == "hello")
    let gap = "FUNCTION($entityPolicy, \"join:with:\", $source.title, NULL)"
    #expect(try texts(gap, policy: FunctionPolicy.self).first == "note 0 + nothing")
  }

  @Test("Numbers, objects and collections of a function fit attributes and relationships")
  func kinds() throws {
    let notes = try NotesMigration()
    try notes.fill(4)
    notes.note.entityMigrationPolicyClassName = MigrationPolicyClasses.name(of: FunctionPolicy.self)
    notes.note.attributeMappings = [
      NotesMigration.property("rank", "FUNCTION($entityPolicy, \"double:\", $source.rank)")
    ]
    notes.note.relationshipMappings = [
      NotesMigration.property(
        "tags",
        "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
          + "\"TagToTag\", FUNCTION($entityPolicy, \"firstTag:\", $source))"
      )
    ]
    try notes.migrate()
    let entries = try notes.migrated("Entry", by: "rank")
    #expect(entries.map { $0["rank"] as? Int } == [0, 2, 4, 6])
    #expect(entries.allSatisfy { ($0["tags"] as? NSSet)?.count == 1 })
  }

  @Test("Objects of related sources are found without the name of a mapping")
  func related() throws {
    let notes = try NotesMigration()
    try notes.fill(6)
    let name = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    notes.note.relationshipMappings = [
      NotesMigration.property(
        "shelf",
        "FUNCTION($manager, \"\(name)\", \"folder\", $source.folder)"
      ),
      NotesMigration.property("tags", "FUNCTION($manager, \"\(name)\", \"tags\", $source.tags)"),
    ]
    try notes.migrate()
    let entries = try notes.migrated("Entry", by: "rank")
    for (number, entry) in entries.enumerated() {
      #expect((entry["shelf"] as? NSManagedObject)?["label"] as? String == "folder \(number % 2)")
      #expect((entry["tags"] as? NSSet)?.count == 2)
    }
  }

  @Test("An ordered relationship keeps its order, although several mappings have made its objects")
  func order() throws {
    let notes = try NotesMigration { $0["Entry"]?.relationshipsByName["tags"]?.isOrdered = true }
    notes.source.entitiesByName["Note"]?.relationshipsByName["tags"]?.isOrdered = true
    let context = try notes.stack(notes.source, notes.sourceURL)
    let names = ["9", "1", "8", "2", "7", "3"]
    let tags = names.map { name in
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag.setValue(name, forKey: "name")
      return tag
    }
    NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      .setValue(NSOrderedSet(array: tags), forKey: "tags")
    try context.save()
    let selected = ["name < '5'", "name > '5'"].enumerated().map { number, predicate in
      let mapping = NotesMigration.mapping("Tag\(number)", "Tag", "Tag", ["name": "$source.name"])
      mapping.sourceExpression = CoreData.NSExpression(
        format: "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", "
          + "\"Tag\", \"\(predicate)\"), FUNCTION($manager, \"sourceContext\"), NO)"
      )
      return mapping
    }
    notes.mapping.entityMappings = Array(notes.mapping.entityMappings.prefix(2)) + selected
    notes.note.relationshipMappings = [
      NotesMigration.property(
        "tags",
        "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
          + "\"tags\", $source.tags)"
      )
    ]
    try notes.migrate()
    let entry = try #require(try notes.migrated("Entry", by: "rank").first)
    let moved = (entry["tags"] as? NSOrderedSet)?.array as? [NSManagedObject]
    #expect(moved?.map { $0["name"] as? String } == names)
  }

  @Test("A source expression selects the objects that are mapped")
  func filtered() throws {
    let notes = try NotesMigration()
    try notes.fill(9)
    notes.note.sourceExpression = CoreData.NSExpression(
      format: "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", "
        + "\"Note\", \"rank > 5\"), FUNCTION($manager, \"sourceContext\"), NO)"
    )
    try notes.migrate()
    #expect(try notes.migrated("Entry", by: "rank").map { $0["rank"] as? Int } == [6, 7, 8])
  }

  @Test("Policies evaluate expressions themselves")
  func evaluatedByPolicy() throws {
    let notes = try NotesMigration()
    try notes.fill(3)
    notes.note.entityMigrationPolicyClassName = MigrationPolicyClasses.name(
      of: TraversingPolicy.self
    )
    try notes.migrate()
    let entries = try notes.migrated("Entry", by: "rank")
    #expect(entries.map { $0["headline"] as? String } == ["note 0", "note 1", "note 2"])
    #expect(entries.map { ($0["tags"] as? NSSet)?.count } == [2, 2, 2])
  }
}

private final class FunctionPolicy: NSEntityMigrationPolicy {
  override class var functions: [String: Function] {
    [
      "greeting": { _, _ in "hello" },
      "join:with:": { policy, arguments in
        (policy as? FunctionPolicy)?.join(arguments[0] as? String, arguments[1] as? String)
      },
      "double:": { _, arguments in (arguments[0] as? Int).map { $0 * 2 } },
      "firstTag:": { _, arguments in
        let tags = (arguments[0] as? NSManagedObject)?.value(forKey: "tags")
        return (tags as? Set<NSManagedObject>)?.min {
          ($0["name"] as? String ?? "") < ($1["name"] as? String ?? "")
        }
      },
    ]
  }

  private func join(_ first: String?, _ second: String?) -> String {
    "\(first ?? "nothing") + \(second ?? "nothing")"
  }
}

/// Evaluates the expressions of a mapping as policies in books do.
private final class TraversingPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let entry = NSEntityDescription.insertNewObject(
      forEntityName: mapping.destinationEntityName ?? "",
      into: manager.destinationContext
    )
    for property in mapping.attributeMappings ?? [] {
      let context: NSMutableDictionary = ["source": sInstance, "manager": manager]
      let value = property.valueExpression?.expressionValue(with: sInstance, context: context)
      entry.setValue(value, forKey: property.name ?? "")
    }
    manager.associate(sourceInstance: sInstance, withDestinationInstance: entry, for: mapping)
  }
}
