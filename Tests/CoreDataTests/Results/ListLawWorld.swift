// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// Nations and zones in a context, another context on the same store, a list and its table.
final class ListLawWorld {
  private let fixture: ResultsFixture
  private let setting: ListSetting
  /// The list's context.
  let context: NSManagedObjectContext
  private let other: NSManagedObjectContext
  private let controller: NSFetchedResultsController<NSManagedObject>
  private let table = TableMirror()
  private var random: RandomSteps
  private var names = 0

  init(_ setting: ListSetting) throws {
    self.setting = setting
    random = RandomSteps(
      state: setting.testDescription.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) }
    )
    fixture = try ResultsFixture()
    if setting.isNested {
      context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.parent = fixture.context
      other = fixture.context
    } else {
      context = fixture.context
      other = fixture.container.newBackgroundContext()
    }
    for context in [context, other] {
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    }
    if setting.undoes { context.undoManager = UndoManager() }
    controller = fixture.controller(setting.request, sections: setting.sections, in: context)
  }

  func begin() throws {
    for label in ["Asia", "Kiribati", "Mali", "Zenith"] {
      NSEntityDescription.insertNewObject(forEntityName: "Zone", into: context)
        .setValue(label, forKey: "label")
    }
    for _ in 0..<8 { try insert(context) }
    try save(context)
    controller.delegate = table
    try controller.performFetch()
    table.reloadData(controller)
  }

  // MARK: Edits

  /// One round.
  func play() throws {
    if random.below(4) == 0 { return try playElsewhere() }
    try context.performAndWait {
      for _ in 0..<random.below(5) { try edit(context) }
      switch random.below(12) {
      case 0: context.rollback()
      case 1, 2, 3, 4: try save(context)
      case 5 where setting.undoes:
        context.processPendingChanges()
        context.undo()
      case 6 where setting.undoes: context.redo()
      default: break
      }
      context.processPendingChanges()
    }
  }

  /// Edits of another context, saved and merged.
  private func playElsewhere() throws {
    var saved: [AnyHashable: Any] = [:]
    try other.performAndWait {
      for _ in 0..<1 + random.below(4) { try edit(other) }
      other.processPendingChanges()
      let inserted = Array(other.insertedObjects)
      let updated = Array(other.updatedObjects)
      let deleted = Array(other.deletedObjects)
      try save(other)
      saved = [
        NSInsertedObjectsKey: inserted.map(\.objectID),
        NSUpdatedObjectsKey: updated.map(\.objectID),
        NSDeletedObjectsKey: deleted.map(\.objectID),
      ]
    }
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: saved, into: [context])
  }

  private func save(_ context: NSManagedObjectContext) throws {
    do {
      try context.save()
      if setting.isNested, context !== other, random.below(2) == 0 {
        try other.performAndWait { try other.save() }
      }
    } catch {
      context.rollback()
    }
  }

  private func all(_ entity: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject]
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [
      NSSortDescriptor(key: entity == "Zone" ? "label" : "name", ascending: true)
    ]
    return try context.fetch(request)
  }

  private func insert(_ context: NSManagedObjectContext) throws {
    names += 1
    let entity = random.below(4) == 0 ? "Champion" : "Nation"
    let nation = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    nation.setValue("\(["a", "b", "c"][random.below(3)])\(names)", forKey: "name")
    nation.setValue(random.zone, forKey: "zone")
    nation.setValue(random.wins, forKey: "wins")
    let zones = try all("Zone", context)
    if !zones.isEmpty { nation.setValue(zones[random.below(zones.count)], forKey: "home") }
  }

  private func edit(_ context: NSManagedObjectContext) throws {
    let nations = try all("Nation", context)
    if nations.count < 4 || nations.count < 12 && random.below(5) == 0 {
      return try insert(context)
    }
    let nation = nations[random.below(nations.count)]
    let zones = try all("Zone", context)
    switch random.below(14) {
    case 0, 1: context.delete(nation)
    case 2, 3: nation.setValue(random.zone, forKey: "zone")
    case 4, 5: nation.setValue(random.wins, forKey: "wins")
    case 6: nation.setValue(Double(random.below(9)), forKey: "score")
    case 7:
      nation.setValue(zones.isEmpty ? nil : zones[random.below(zones.count)], forKey: "home")
    case 8:
      let labels = ["Asia", "Kiribati", "Mali", "Zenith", "Borneo", "Oman"]
      if !zones.isEmpty {
        zones[random.below(zones.count)].setValue(labels[random.below(6)], forKey: "label")
      }
    case 9:
      if zones.count > 2, random.below(3) == 0 { context.delete(zones[0]) }
    case 10:
      if zones.count < 5 {
        NSEntityDescription.insertNewObject(forEntityName: "Zone", into: context)
          .setValue("Oman", forKey: "label")
      }
    case 11: context.refresh(nation, mergeChanges: random.below(2) == 0)
    case 12: nation.setValue("\(["a", "b", "c"][random.below(3)])\(names)x", forKey: "name")
    default: nation.setValue(nation.value(forKey: "wins"), forKey: "wins")
    }
    names += 1
  }

  // MARK: Checks

  func snapshot() -> Set<ObjectIdentifier> {
    table.forgetRounds()
    return Set(table.rows.joined().map { ObjectIdentifier($0) })
  }

  func check(_ before: Set<ObjectIdentifier>, _ comment: Comment) throws {
    var problem = ""
    do { try table.check(controller) } catch { problem = "\(error)" }
    try #require(problem == "", comment)
    let kinds = table.rounds.flatMap(\.rows)
    if table.rounds.count == 1 {
      let after = Set(table.rows.joined().map { ObjectIdentifier($0) })
      try #require(
        kinds.count { $0 == .insert } == after.subtracting(before).count
          && kinds.count { $0 == .delete } == before.subtracting(after).count,
        comment
      )
    }
    // A limit counts at the fetch alone (FRC-8).
    if setting.limit > 0 { return try checkOrder(comment) }
    let shown = lines((controller.sections ?? []).map { ($0.name, $0.objects ?? []) })
    let wanted = try expected()
    try #require(shown == wanted, comment)
    if !context.hasChanges {
      let fresh = try context.fetch(setting.request)
      let content = controller.fetchedObjects ?? []
      try #require(fresh.count == content.count, comment)
      for (left, right) in zip(fresh, content) { try #require(left === right, comment) }
    }
  }

  /// All objects of the context, filtered, sorted and cut into sections by their present values.
  private func expected() throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Nation")
    request.includesSubentities = setting.includesSubentities
    let predicate = setting.predicate.map { NSPredicate(format: $0) }
    let matching = try context.fetch(request).filter { predicate?.evaluate(with: $0) ?? true }
    let sorted = matching.sorted { comes($0, before: $1) }
    var sections: [(String, [Any])] = []
    for nation in sorted {
      let name = setting.sections.map { nation.value(forKeyPath: $0) as? String ?? "" } ?? ""
      if sections.last?.0 != name { sections.append((name, [])) }
      sections[sections.count - 1].1.append(nation)
    }
    if setting.sections == nil && sections.isEmpty { sections = [("", [])] }
    return lines(sections)
  }

  private func comes(_ left: NSManagedObject, before right: NSManagedObject) -> Bool {
    for (key, ascending) in setting.keys {
      let order: Int
      if key == "wins" {
        order = (left.value(forKey: key) as? Int ?? -1) - (right.value(forKey: key) as? Int ?? -1)
      } else {
        let (a, b) = (
          left.value(forKeyPath: key) as? String, right.value(forKeyPath: key) as? String
        )
        order = a == b ? 0 : a == nil ? -1 : b == nil ? 1 : (a ?? "") < (b ?? "") ? -1 : 1
      }
      if order != 0 { return ascending ? order < 0 : order > 0 }
    }
    return false
  }

  private func lines(_ sections: [(String, [Any])]) -> [String] {
    sections.map { "\($0.0): " + $0.1.map { name($0) }.joined(separator: " ") }
  }

  private func checkOrder(_ comment: Comment) throws {
    let shown = controller.fetchedObjects ?? []
    for (left, right) in zip(shown, shown.dropFirst()) {
      try #require(!comes(right, before: left), comment)
    }
  }
}
