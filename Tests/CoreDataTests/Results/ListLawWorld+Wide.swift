// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What happens in some worlds only: owners without their members, batches merged by hand, rows that come
/// back, children that know less than their parents.
extension ListLawWorld {
  func wideStep(_ random: inout RandomSteps) throws {
    switch random.below(8) {
    case 0, 1: try hold(&random)
    case 2: setting.bringsBack ? try contend(&random) : try hold(&random)
    case 3, 4:
      if setting.bringsBack {
        try random.below(2) == 0 ? changeStale(&random) : saveStale(&random)
      } else if setting.keepsChild {
        try editBelow(&random)
      } else {
        try batch(&random)
      }
    case 5: setting.mergesBatchesByHand ? try batch(&random) : try editElsewhere(&random)
    default:
      note("here:")
      let kind = ["Nation", "Nation", "Zone", "Tag", "Region"][random.below(5)]
      context.performAndWait { delete(kind, context, &random) }
    }
  }

  // MARK: Owners

  /// Reads the members of an owner and keeps the owner alone.
  private func hold(_ random: inout RandomSteps) throws {
    guard setting.holdsOwners else { return }
    let places = levels + (setting.keepsChild ? [below] : [])
    let level = places[random.below(places.count)]
    level.performAndWait {
      let kind = ["Zone", "Zone", "Tag", "Region"][random.below(4)]
      guard let owner = pick(kind, level, &random) else { return }
      let key = kind == "Region" ? "zones" : "nations"
      note("hold \(Self.name(owner)) with \(owner.mutableSetValue(forKey: key).count) \(key)")
      held.append(owner)
    }
    held.removeAll { $0.managedObjectContext == nil }
    if held.count > 6 { held.remove(at: random.below(held.count)) }
  }

  // MARK: Contexts that know nothing of others' saves

  private func changeStale(_ random: inout RandomSteps) throws {
    let context = stale[random.below(stale.count)]
    note("changed and not saved elsewhere:")
    context.performAndWait {
      guard let nation = pick("Nation", context, &random) else { return }
      change(nation, context, &random)
    }
  }

  private func change(
    _ nation: NSManagedObject,
    _ context: NSManagedObjectContext,
    _ random: inout RandomSteps
  ) {
    note("  \(Self.name(nation)) at \(context === stale[0] ? 0 : 1)")
    switch random.below(4) {
    case 0: nation.setValue(["a", "b", "c"][random.below(3)], forKey: "note")
    case 1: nation.setValue(pick("Zone", context, &random), forKey: "home")
    default: nation.setValue(random.wins, forKey: "wins")
    }
  }

  /// Both change one row, each in its own way; then the row is deleted, here or elsewhere, and they save:
  /// the later one meets the row again that the earlier one has brought back.
  private func contend(_ random: inout RandomSteps) throws {
    guard let id = stale[0].performAndWait({ pick("Nation", stale[0], &random)?.objectID }) else {
      return
    }
    note("changed by two, and deleted:")
    for context in stale {
      context.performAndWait {
        guard let nation = try? context.existingObject(with: id), !nation.isDeleted else { return }
        change(nation, context, &random)
      }
    }
    if random.below(2) == 0 {
      try deleteHere(id)
    } else {
      try deleteElsewhere(id)
    }
    let isReversed = random.below(3) == 0
    for context in isReversed ? stale.reversed() : stale where random.below(4) > 0 {
      try saveStale(context, &random)
    }
  }

  private func deleteHere(_ id: NSManagedObjectID) throws {
    try mergeLate()
    try holdingLevels {
      try context.performAndWait {
        guard let nation = try? context.existingObject(with: id), !nation.isDeleted else { return }
        note("  deleted here")
        context.delete(nation)
        try context.save()
        replaceTemporaryIDs()
      }
    }
    waitForQueues()
  }

  private func deleteElsewhere(_ id: NSManagedObjectID) throws {
    audience.isUnsettled()
    try holdingLevels {
      try other.performAndWait {
        other.reset()
        guard let nation = try? other.existingObject(with: id) else { return }
        note("  deleted elsewhere")
        other.delete(nation)
        try other.save()
      }
    }
    waitForQueues()
  }

  private func saveStale(_ random: inout RandomSteps) throws {
    try saveStale(stale[random.below(stale.count)], &random)
  }

  private func saveStale(_ context: NSManagedObjectContext, _ random: inout RandomSteps) throws {
    note("save of what was changed at \(context === stale[0] ? 0 : 1)")
    audience.isUnsettled()
    try holdingLevels {
      try context.performAndWait {
        try context.save()
        if random.below(2) == 0, context === stale[1] { context.reset() }
      }
    }
    waitForQueues()
    try checkFile()
    if random.below(2) == 0 { try mergeLate() }
  }

  // MARK: Batches

  /// A batch deletion of which the levels learn the deleted rows' IDs, and no more.
  func batchByHand(_ random: inout RandomSteps) throws {
    let kind = ["Nation", "Nation", "Zone", "Tag"][random.below(4)]
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: kind)
    switch kind {
    case "Nation": fetch.predicate = NSPredicate(format: "wins == %d", random.wins)
    case "Zone": fetch.predicate = NSPredicate(format: "label BEGINSWITH %@", random.label)
    default: fetch.predicate = NSPredicate(format: "name == %@", "T\(random.below(5))")
    }
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeObjectIDs
    let result = try other.performAndWait {
      other.reset()
      return try other.execute(request) as? NSBatchDeleteResult
    }
    let ids = result?.result as? [NSManagedObjectID] ?? []
    note("batch delete of \(ids.count) \(kind)s, merged by hand")
    elsewhere.formUnion(ids)
    // The delete rules reach others.
    for member in members.values.joined() { elsewhere.insert(member.id) }
    audience.isUnsettled()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectIDsKey: Set(ids)],
      into: levels
    )
    waitForQueues()
  }

  // MARK: Links

  /// No loaded relationship of any level names an object that is deleted or gone, and the file has no link
  /// to a row that is not there.
  func checkLinks() throws {
    try checkFile()
    // What was not merged yet is gone in the store, and not here.
    guard late.isEmpty else { return }
    for (depth, level) in levels.enumerated() {
      let dead = try level.performAndWait {
        level.processPendingChanges()
        return try level.checkInvariants()
      }
      if !dead.isEmpty {
        throw Mismatch(description: "dead links at level \(depth): \(dead.joined(separator: "; "))")
      }
    }
  }

  func checkFile() throws {
    let broken = foreignKeys?.broken() ?? []
    if !broken.isEmpty {
      throw Mismatch(description: "links in the file: \(broken.joined(separator: "; "))")
    }
  }
}
