// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Edits of objects, in whichever context.
extension ListLawWorld {
  // MARK: Members

  func make(_ entity: String, _ context: NSManagedObjectContext) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    members[entity == "Champion" ? "Nation" : entity, default: []].append(Member(object))
    return object
  }

  /// An object of the context that is not deleted; nil where chance finds none.
  func pick(
    _ kind: String,
    _ context: NSManagedObjectContext,
    _ random: inout RandomSteps
  ) -> NSManagedObject? {
    guard let members = members[kind], !members.isEmpty else { return nil }
    for _ in 0..<3 {
      if let found = resolve(members[random.below(members.count)], context) { return found }
    }
    return nil
  }

  private func resolve(
    _ member: Member,
    _ context: NSManagedObjectContext
  ) -> NSManagedObject? {
    if let object = member.object {
      if object.managedObjectContext === context { return object.isDeleted ? nil : object }
      if member.id.isTemporaryID { return nil }
    }
    guard let object = try? context.existingObject(with: member.id), !object.isDeleted else {
      return nil
    }
    return object
  }

  /// Takes over permanent IDs.
  func replaceTemporaryIDs() {
    for kind in members.keys {
      members[kind]?.removeAll { $0.object.map { $0.managedObjectContext == nil } ?? false }
      for member in members[kind] ?? [] {
        guard let object = member.object else { continue }
        let id = object.managedObjectContext?.performAndWait { object.objectID }
        guard let id, !id.isTemporaryID else { continue }
        member.id = id
        member.object = nil
      }
    }
  }

  func newName() -> String {
    names += 1
    // Later ones do not always lie behind earlier ones.
    return "\(["m", "k", "p"][names % 3])\(names)"
  }

  static func name(_ object: NSManagedObject) -> String {
    let key = object.entity.attributesByName["name"] == nil ? "label" : "name"
    if object.entity.attributesByName[key] == nil { return object.entity.name ?? "" }
    let name = object.isDeleted ? nil : object.value(forKey: key) as? String
    return "\(object.entity.name ?? "") \(name ?? "?")"
  }

  // MARK: Inserting

  @discardableResult
  func insertNation(
    _ context: NSManagedObjectContext,
    _ random: inout RandomSteps
  ) -> NSManagedObject {
    let isChampion = random.below(4) == 0 || setting.entity == "Champion"
    let nation = make(isChampion ? "Champion" : "Nation", context)
    nation.setValue(newName(), forKey: "name")
    nation.setValue(random.below(8) == 0 ? nil : random.zone, forKey: "zone")
    nation.setValue(random.wins, forKey: "wins")
    nation.setValue(Double(random.below(8)) / 4, forKey: "score")
    nation.setValue(["a", "b", "c"][random.below(3)], forKey: "note")
    if isChampion { nation.setValue(random.below(4), forKey: "titles") }
    if random.below(4) > 0 { nation.setValue(pick("Zone", context, &random), forKey: "home") }
    if random.below(2) == 0 { nation.setValue(pick("Judge", context, &random), forKey: "judge") }
    if random.below(2) == 0, let tag = pick("Tag", context, &random) {
      nation.mutableSetValue(forKey: "tags").add(tag)
    }
    return nation
  }

  @discardableResult
  func insertZone(
    _ context: NSManagedObjectContext,
    _ random: inout RandomSteps
  ) -> NSManagedObject {
    let zone = make("Zone", context)
    zone.setValue(zoneLabel(&random), forKey: "label")
    zone.setValue(["a", "b", "c"][random.below(3)], forKey: "note")
    zone.setValue(pick("Region", context, &random), forKey: "region")
    return zone
  }

  /// Unique where zones are what is shown.
  private func zoneLabel(_ random: inout RandomSteps) -> String {
    setting.entity == "Zone" ? random.label + newName() : random.label
  }

  // MARK: Editing

  func edit(_ context: NSManagedObjectContext, _ random: inout RandomSteps) {
    switch random.below(100) {
    case ..<34: editNation(context, &random)
    case ..<46:
      let isFull = members["Nation", default: []].count > setting.count * 3 / 2 + 3
      isFull ? delete("Nation", context, &random) : insert(context, &random)
    case ..<54: delete("Nation", context, &random)
    case ..<72: editLinks(context, &random)
    case ..<88: editRelated(context, &random)
    case ..<92: moveSection(context, &random)
    case ..<96:
      delete(["Zone", "Zone", "Region", "Tag"][random.below(4)], context, &random)
    default:
      switch random.below(3) {
      case 0:
        let zone = insertZone(context, &random)
        note("  insert \(Self.name(zone))")
      case 1: make("Region", context).setValue("R\(random.below(5))", forKey: "label")
      default: make("Tag", context).setValue("T\(random.below(5))", forKey: "name")
      }
    }
  }

  private func insert(_ context: NSManagedObjectContext, _ random: inout RandomSteps) {
    let nation = insertNation(context, &random)
    note("  insert \(Self.name(nation))")
  }

  func delete(
    _ kind: String,
    _ context: NSManagedObjectContext,
    _ random: inout RandomSteps
  ) {
    // Enough must stay for something to happen.
    guard members[kind, default: []].count > 2, let object = pick(kind, context, &random) else {
      return
    }
    note("  delete \(Self.name(object))")
    context.delete(object)
    if kind == "Nation", random.below(3) > 0 {
      let id = object.objectID
      members[kind]?.removeAll { $0.id == id }
    }
  }

  private func set(_ object: NSManagedObject?, _ key: String, _ value: Any?) {
    guard let object else { return }
    note(
      "  \(Self.name(object)).\(key) = "
        + ((value as? NSManagedObject).map(Self.name) ?? value.map { "\($0)" } ?? "nil")
    )
    object.setValue(value, forKey: key)
  }

  private func editNation(_ context: NSManagedObjectContext, _ random: inout RandomSteps) {
    let nation = pick("Nation", context, &random)
    switch random.below(8) {
    case 0, 1, 2: set(nation, "wins", random.wins)
    case 3, 4: set(nation, "zone", random.below(8) == 0 ? nil : random.zone)
    case 5: set(nation, "score", Double(random.below(8)) / 4)
    case 6: set(nation, "note", ["a", "b", "c"][random.below(3)])
    default:
      if nation?.entity.name == "Champion" {
        set(nation, "titles", random.below(4))
      } else {
        set(nation, "wins", nation?.value(forKey: "wins"))
      }
    }
  }

  private func editLinks(_ context: NSManagedObjectContext, _ random: inout RandomSteps) {
    let nation = pick("Nation", context, &random)
    switch random.below(8) {
    case 0, 1, 2:
      let isNone = random.below(5) == 0
      set(nation, "home", isNone ? nil : pick("Zone", context, &random))
    case 3:
      let others = [pick("Nation", context, &random), nation].compactMap { $0 }
      guard let zone = pick("Zone", context, &random) else { return }
      note("  \(Self.name(zone)).nations = \(others.map(Self.name))")
      zone.setValue(NSSet(array: others), forKey: "nations")
    case 4:
      guard let nation, let zone = pick("Zone", context, &random) else { return }
      note("  \(Self.name(nation)) into or out of \(Self.name(zone)).nations")
      let members = zone.mutableSetValue(forKey: "nations")
      members.contains(nation) ? members.remove(nation) : members.add(nation)
    case 5:
      let tags = [pick("Tag", context, &random), pick("Tag", context, &random)].compactMap { $0 }
      guard let nation else { return }
      note("  \(Self.name(nation)).tags = \(tags.map(Self.name))")
      nation.setValue(NSSet(array: random.below(3) == 0 ? [] : tags), forKey: "tags")
    case 6:
      guard let nation, let tag = pick("Tag", context, &random) else { return }
      note("  \(Self.name(nation)) into or out of \(Self.name(tag)).nations")
      let members = tag.mutableSetValue(forKey: "nations")
      members.contains(nation) ? members.remove(nation) : members.add(nation)
    default: set(nation, "judge", pick("Judge", context, &random))
    }
  }

  private func editRelated(_ context: NSManagedObjectContext, _ random: inout RandomSteps) {
    switch random.below(9) {
    case 0, 1, 2: set(pick("Zone", context, &random), "label", zoneLabel(&random))
    case 3: set(pick("Zone", context, &random), "note", ["a", "b", "c"][random.below(3)])
    case 4, 5: set(pick("Zone", context, &random), "region", pick("Region", context, &random))
    case 6: set(pick("Region", context, &random), "label", "R\(random.below(5))")
    case 7: set(pick("Tag", context, &random), "name", "T\(random.below(5))")
    default: set(pick("Judge", context, &random), "grade", random.below(5))
    }
  }

  /// All nations of a zone that are at hand go to another one.
  private func moveSection(_ context: NSManagedObjectContext, _ random: inout RandomSteps) {
    let from = random.zone
    let to = random.zone
    note("  \(from) becomes \(to)")
    for member in members["Nation"] ?? [] {
      guard let nation = resolve(member, context), nation.value(forKey: "zone") as? String == from
      else { continue }
      nation.setValue(to, forKey: "zone")
    }
  }
}
