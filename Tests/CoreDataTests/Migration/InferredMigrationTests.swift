// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing
import _CoreDataModel
import _CoreDataSQL

/// Stores of one model that are added with the next one; one test for each change that can be inferred.
@Suite struct InferredMigrationTests {
  static func draft(_ body: String) throws -> ModelDraft {
    try ModelFile.draft(xml: Data("<model>\(body)</model>".utf8), file: "m.contents")
  }

  /// Fills a store of the first model, migrates it to the second one, and checks every law.
  ///
  /// - Returns: the content before and after.
  @discardableResult
  private func migrate(
    _ old: String,
    _ new: String,
    options: [AnyHashable: Any] = [:]
  ) throws -> (before: StoreContent, after: StoreContent) {
    let (from, to) = (try Self.draft(old), try Self.draft(new))
    let file = try MigratedFile()
    let model = try ModelDefinition(from)
    try file.open(from, options: options) { context, _ in
      var content = RandomContent(model, seed: 1)
      content.objectsOfEach = 9
      let count = try content.fill(context)
      #expect(count > 0)
    }
    let before = try file.content(from, options: options)
    #expect(throws: NSError.self) { try file.content(to, options: options) }
    let copy = try file.copy()
    try file.migrate(to: to, options: options)
    let after = try file.content(to, options: options)
    let target = try ModelDefinition(to)
    let mapping = try ModelMapping(inferredFrom: model, to: target)
    let laws = MigrationLaws(mapping: mapping, before: before, after: after)
    #expect(laws.violations() == [], "\(new)")
    if options.isEmpty { #expect(try file.fileViolations(target) == []) }
    let models = StepModels(old: try .init(from), new: try .init(to))
    _ = try ManagerMigration.check(copy, models, mapping, inPlace: after, new)
    return (before, after)
  }

  static let team = #"""
    <entity name="Team"><attribute name="name" optional="YES" attributeType="String"/>
    <attribute name="wins" optional="YES" attributeType="Integer 16"/></entity>
    """#

  @Test("A store is migrated where the options ask for it, and not otherwise")
  func options() throws {
    let to = try Self.draft(Self.team + #"<entity name="Cup"/>"#)
    let file = try MigratedFile()
    try file.open(Self.draft(Self.team)) { _, _ in }
    for options in [nil, [NSInferMappingModelAutomaticallyOption: true]] {
      let error = #expect(throws: NSError.self) { try file.content(to, options: options) }
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    }
    let missing = #expect(throws: NSError.self) {
      try file.content(to, options: [NSMigratePersistentStoresAutomaticallyOption: true])
    }
    #expect(missing?.code == NSMigrationMissingMappingModelError)
    try file.migrate(to: to)
    _ = try file.content(to)
  }

  @Test("A container's descriptions migrate by themselves, unless they are told otherwise")
  func container() throws {
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/x.sqlite"))
    #expect(description.shouldMigrateStoreAutomatically)
    #expect(description.shouldInferMappingModelAutomatically)
    for key in [
      NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
    ] {
      #expect(description.options[key] == NSNumber(value: true))
    }
    let file = try MigratedFile()
    try file.open(Self.draft(Self.team)) { _, _ in }
    let model = NSManagedObjectModel(draft: try Self.draft(Self.team + #"<entity name="Cup"/>"#))
    let container = NSPersistentContainer(name: "Cups", managedObjectModel: model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file.url)]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
  }

  @Test(
    "Attributes come, go, and become optional or mandatory",
    arguments: [
      // Added, optional.
      #"<attribute name="name" optional="YES" attributeType="String"/><attribute name="wins" optional="YES" attributeType="Integer 16"/><attribute name="city" optional="YES" attributeType="String"/>"#,
      // Added, with defaults of several types.
      #"<attribute name="name" optional="YES" attributeType="String"/><attribute name="wins" optional="YES" attributeType="Integer 16"/><attribute name="city" attributeType="String" defaultValueString="O'Hara"/><attribute name="rank" attributeType="Double" defaultValueString="1.5"/><attribute name="isOld" attributeType="Boolean" defaultValueString="YES"/><attribute name="founded" attributeType="Date" defaultDateTimeInterval="1000"/>"#,
      // Removed.
      #"<attribute name="name" optional="YES" attributeType="String"/>"#,
      #"<attribute name="other" optional="YES" attributeType="String"/>"#,
      // Mandatory with a default; wider.
      #"<attribute name="name" attributeType="String" defaultValueString="none"/><attribute name="wins" attributeType="Integer 64" defaultValueString="7"/>"#,
      // Renamed, and the old name for another.
      #"<attribute name="title" optional="YES" attributeType="String" elementID="name"/><attribute name="wins" optional="YES" attributeType="Integer 16"/>"#,
      #"<attribute name="title" optional="YES" attributeType="String" elementID="name"/><attribute name="name" optional="YES" attributeType="Date" elementID="newName"/>"#,
      // Transient, constraint, index.
      #"<attribute name="name" optional="YES" transient="YES" attributeType="String"/><attribute name="wins" optional="YES" attributeType="Integer 16"/>"#,
      #"<attribute name="name" optional="YES" attributeType="String" versionHashModifier="2"/><attribute name="wins" optional="YES" attributeType="Integer 16"/><fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="descending"/></fetchIndex>"#,
    ]
  )
  func attributes(_ body: String) throws {
    try migrate(Self.team, "<entity name=\"Team\">\(body)</entity>")
  }

  @Test("Entities come, go and are renamed, and numbers follow")
  func entities() throws {
    let other =
      #"<entity name="Zoo"><attribute name="size" optional="YES" attributeType="Integer 32"/></entity>"#
    try migrate(Self.team + other, #"<entity name="Aunt"/>"# + Self.team + other)
    try migrate(Self.team + other, other)
    try migrate(
      Self.team + other,
      Self.team.replacing(#"name="Team""#, with: #"name="Club" elementID="Team""#) + other
    )
    // A new entity has the name that another one had.
    try migrate(
      Self.team + other,
      Self.team.replacing(#"name="Team""#, with: #"name="Club" elementID="Team""#)
        + #"<entity name="Team" elementID="NewTeam"/>"# + other
    )
  }

  private static func pair(_ team: String, _ player: String, extra: String = "") -> String {
    #"<entity name="Team"><attribute name="name" optional="YES" attributeType="String"/>"# + team
      + #"</entity><entity name="Player"><attribute name="name" optional="YES" attributeType="String"/>"#
      + player + "</entity>" + extra
  }

  private static func one(
    _ name: String,
    _ to: String,
    _ inverse: String?,
    _ more: String = ""
  )
    -> String
  {
    let back = inverse.map { "inverseName=\"\($0)\" inverseEntity=\"\(to)\"" } ?? ""
    return
      "<relationship name=\"\(name)\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
      + "destinationEntity=\"\(to)\" \(back) \(more)/>"
  }

  private static func many(
    _ name: String,
    _ to: String,
    _ inverse: String?,
    _ more: String = ""
  )
    -> String
  {
    let back = inverse.map { "inverseName=\"\($0)\" inverseEntity=\"\(to)\"" } ?? ""
    return
      "<relationship name=\"\(name)\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Nullify\" "
      + "destinationEntity=\"\(to)\" \(back) \(more)/>"
  }

  @Test("Every form of a relationship becomes every other form that can be inferred")
  func relationships() throws {
    let ordered = #"ordered="YES""#
    let forms = [
      Self.pair("", ""),
      Self.pair(Self.one("player", "Player", "team"), Self.one("team", "Team", "player")),
      Self.pair(Self.many("player", "Player", "team"), Self.one("team", "Team", "player")),
      Self.pair(Self.many("player", "Player", "team", ordered), Self.one("team", "Team", "player")),
      Self.pair(Self.many("player", "Player", "team"), Self.many("team", "Team", "player")),
      Self.pair(
        Self.many("player", "Player", "team", ordered),
        Self.many("team", "Team", "player", ordered)
      ),
      Self.pair(
        Self.many("player", "Player", "team", ordered),
        Self.many("team", "Team", "player")
      ),
      Self.pair(Self.one("player", "Player", nil), ""),
      Self.pair(Self.many("player", "Player", nil), ""),
      Self.pair(Self.many("player", "Player", nil, ordered), ""),
      Self.pair("", Self.one("team", "Team", nil)),
    ]
    var tried = 0
    for (from, old) in forms.enumerated() {
      for (to, new) in forms.enumerated() where from != to {
        // By default every third pair, such that each form is the old and the new one of some.
        if !ModelStep.runsAll && (from + to) % 3 != 0 { continue }
        let models = (try ModelDefinition(Self.draft(old)), try ModelDefinition(Self.draft(new)))
        guard (try? ModelMapping(inferredFrom: models.0, to: models.1)) != nil else { continue }
        if ModelHashes(model: models.0).byEntity == ModelHashes(model: models.1).byEntity {
          continue
        }
        tried += 1
        do {
          try migrate(old, new)
        } catch {
          Issue.record("form \(from) to \(to): \(error)")
        }
      }
    }
    #expect(tried > (ModelStep.runsAll ? 60 : 20))
  }

  @Test("Relationships are renamed with their tables and columns")
  func renamedRelationships() throws {
    let old = Self.pair(
      Self.many("players", "Player", "teams"),
      Self.many("teams", "Team", "players") + Self.one("captain", "Player", nil)
    )
    try migrate(
      old,
      Self.pair(
        Self.many("members", "Player", "clubs", #"elementID="players""#),
        Self.many("clubs", "Team", "members", #"elementID="teams""#)
          + Self.one("leader", "Player", nil, #"elementID="captain""#),
        extra: #"<entity name="A"/>"#
      )
    )
  }

  private static let text = #"optional="YES" attributeType="String""#

  @Test("Entities move in their hierarchy, and properties with them")
  func hierarchies() throws {
    let person = "<attribute name=\"name\" \(Self.text)/>"
    let pay = "<attribute name=\"pay\" optional=\"YES\" attributeType=\"Double\"/>"
    func entity(
      _ name: String,
      _ parent: String?,
      _ body: String = "",
      _ more: String = ""
    )
      -> String
    {
      let above = parent.map { "parentEntity=\"\($0)\"" } ?? ""
      return "<entity name=\"\(name)\" \(above) \(more)>\(body)</entity>"
    }
    let link = Self.one("boss", "Person", "team")
    let back = Self.many("team", "Person", "boss")
    let two = entity("Person", nil, person + link + back) + entity("Worker", "Person", pay)
    // A new child, between and below; a new parent above.
    try migrate(
      two,
      entity("Person", nil, person + link + back) + entity("Staff", "Person")
        + entity("Worker", "Staff", pay) + entity("Boss", "Person")
    )
    try migrate(
      two,
      entity("Being", nil, "", #"isAbstract="YES""#)
        + entity("Person", "Being", person + link + back)
        + entity("Worker", "Person", pay)
    )
    // Moved up and down.
    try migrate(
      two,
      entity("Person", nil, person + pay + link + back) + entity("Worker", "Person")
    )
    let siblings =
      entity("Person", nil, link + back) + entity("Guest", "Person", person)
      + entity("Worker", "Person", person + pay)
    try migrate(
      siblings,
      entity("Person", nil, person + link + back) + entity("Guest", "Person")
        + entity("Worker", "Person", pay)
    )
    try migrate(
      entity("Person", nil, person + link + back) + entity("Guest", "Person")
        + entity("Worker", "Person", pay),
      siblings
    )
    // Out of the hierarchy, and removed from it.
    try migrate(two, entity("Person", nil, person) + entity("Worker", nil, person + pay))
    try migrate(two, entity("Person", nil, person + link + back))
    // A lone entity gets a child: to-ones name the entity of their destination from then on.
    try migrate(
      entity("Person", nil, person + link + back),
      two
    )
    // Columns and indexes of one name move up when an entity before theirs has a column of that name.
    func linked(_ names: [String]) -> String {
      entity("Person", nil) + entity("Zoo", nil)
        + names.map { entity($0, "Person", Self.one("friend", "Zoo", nil)) }.joined()
    }
    try migrate(linked(["Guest", "Worker"]), linked(["Boss", "Guest", "Worker"]))
    try migrate(linked(["Boss", "Guest", "Worker"]), linked(["Guest", "Worker"]))
    // Two that were of one hierarchy become parent and child.
    try migrate(
      siblings,
      entity("Person", nil, link + back) + entity("Guest", "Person", person)
        + entity("Worker", "Guest", pay)
    )
  }

  @Test("An entity that becomes abstract keeps its store closed while it has objects")
  func abstractEntity() throws {
    let to = try Self.draft(
      Self.team.replacing(#"name="Team""#, with: #"name="Team" isAbstract="YES""#)
    )
    let file = try MigratedFile()
    let from = try Self.draft(Self.team)
    try file.open(from) { context, _ in
      _ = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
      try context.save()
    }
    let error = #expect(throws: NSError.self) { try file.migrate(to: to) }
    #expect(error?.code == NSMigrationError)
    #expect(error?.localizedFailureReason?.contains("objects of it (1)") == true)
    try file.open(from) { context, _ in
      for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team")) {
        context.delete(object)
      }
      try context.save()
    }
    try file.migrate(to: to)
  }

  @Test("A constraint that rows break is named, and the store stays as it was")
  func constraint() throws {
    let constraint =
      "<uniquenessConstraints><uniquenessConstraint><constraint value=\"name\"/>"
      + "</uniquenessConstraint></uniquenessConstraints></entity>"
    let to = try Self.draft(Self.team.replacing("</entity>", with: constraint))
    let from = try Self.draft(Self.team)
    let file = try MigratedFile()
    try file.open(from) { context, _ in
      for _ in 0..<2 {
        NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
          .setValue("same", forKey: "name")
      }
      try context.save()
    }
    let before = try SQLFile(url: file.url).content()
    let error = #expect(throws: NSError.self) { try file.migrate(to: to) }
    #expect(error?.code == NSMigrationConstraintViolationError)
    #expect(error?.localizedFailureReason?.contains("Team: name") == true, "\(error as Any)")
    #expect(try SQLFile(url: file.url).content() == before)
    try file.open(from) { context, _ in
      let teams = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team"))
      teams[0].setValue("other", forKey: "name")
      try context.save()
    }
    try file.migrate(to: to)
  }

  @Test("A change that cannot be inferred is refused with the property, the reason and the way out")
  func refusal() throws {
    let file = try MigratedFile()
    try file.open(Self.draft(Self.team)) { _, _ in }
    let before = try SQLFile(url: file.url).content()
    let to = try Self.draft(Self.team.replacing("Integer 16", with: "String"))
    let error = #expect(throws: NSError.self) { try file.migrate(to: to) }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    let reason = error?.localizedFailureReason ?? ""
    #expect(
      reason.contains(
        "Team.wins: an inferred mapping cannot convert the existing values from Integer 16 to String"
      )
    )
    let underlying = error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.code == NSInferredMappingModelError)
    #expect(try SQLFile(url: file.url).content() == before)
  }

  @Test("A store that can only be read says what migration would do")
  func readOnly() throws {
    let file = try MigratedFile()
    try file.open(Self.draft(Self.team)) { _, _ in }
    let to = try Self.draft(
      Self.team.replacing("</entity>", with: "<attribute name=\"city\" \(Self.text)/></entity>")
    )
    let error = #expect(throws: NSError.self) {
      try file.migrate(to: to, options: [NSReadOnlyPersistentStoreOption: true])
    }
    #expect(error?.code == NSMigrationError)
    #expect(
      error?.localizedFailureReason?.contains("ZTEAM: add column ZCITY") == true,
      "\(error as Any)"
    )
  }

  @Test("An added column touches no row")
  func addedColumn() throws {
    let file = try MigratedFile()
    let from = try Self.draft(Self.team)
    try file.open(from) { _, _ in }
    let to = try Self.draft(
      Self.team.replacing(
        "</entity>",
        with: #"<attribute name="city" attributeType="String" defaultValueString="x"/></entity>"#
      )
    )
    try file.migrate(to: to)
    let table = try SQLFile(url: file.url).texts(
      "SELECT sql FROM sqlite_master WHERE name = 'ZTEAM'"
    )
    #expect(table.first?.contains("ZCITY VARCHAR DEFAULT 'x'") == true)
  }

  @Test("Derived attributes are computed for the objects that are there")
  func derived() throws {
    let members = Self.many("players", "Player", "team")
    let back = Self.one("team", "Team", "players")
    let count =
      "<attribute name=\"size\" optional=\"YES\" attributeType=\"Integer 64\" derived=\"YES\" "
      + "derivationExpression=\"players.@count\"/>"
    let upper =
      "<attribute name=\"upper\" \(Self.text) derived=\"YES\" derivationExpression=\"uppercase:(name)\"/>"
    let (_, after) = try migrate(
      Self.pair(members, back),
      Self.pair(members + count + upper, back)
    )
    for (name, object) in after.objects where name.hasPrefix("Team") {
      #expect(object.values["size"] == "\(Double(object.links["players"]?.count ?? -1))")
      #expect(object.values["upper"] == object.values["name"]?.uppercased())
    }
  }

  @Test("A history speaks of the new model")
  func history() throws {
    let tracked: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
    let from = try Self.draft(Self.team + #"<entity name="Zoo"/>"#)
    let to = try Self.draft(
      #"<entity name="Aunt"/><entity name="Team"><attribute name="aim" optional="YES" attributeType="String"/><attribute name="title" optional="YES" attributeType="String" elementID="name"/></entity>"#
    )
    let file = try MigratedFile()
    try file.open(from, options: tracked) { context, _ in
      let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
      _ = NSEntityDescription.insertNewObject(forEntityName: "Zoo", into: context)
      try context.save()
      team.setValue("A", forKey: "name")
      try context.save()
      team.setValue(3, forKey: "wins")
      try context.save()
    }
    try file.migrate(to: to, options: tracked)
    try file.open(to, options: tracked) { context, _ in
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      let changes = transactions.flatMap { $0.changes ?? [] }
      #expect(changes.map { $0.changedObjectID.entity.name } == ["Team", "Team", "Team"])
      let updates = changes.compactMap(\.updatedProperties).map { $0.map(\.name) }
      #expect(updates.contains(["title"]))
    }
  }
}
