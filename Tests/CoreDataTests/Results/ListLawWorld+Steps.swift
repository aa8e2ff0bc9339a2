// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What can happen.
extension ListLawWorld {
  func step(_ random: inout RandomSteps) throws {
    if setting.isWide, random.below(4) == 0 { return try wideStep(&random) }
    switch random.below(100) {
    case ..<46: editHere(&random)
    case ..<52: context.performAndWait { processHere() }
    case ..<60: try saveHere(&random)
    case ..<63:
      note("rollback")
      context.performAndWait { context.rollback() }
    case ..<70: undoOrRedo(&random)
    case ..<76: refresh(&random)
    case ..<77:
      note("refreshAllObjects")
      context.performAndWait { context.refreshAllObjects() }
    case ..<88: try editElsewhere(&random)
    case ..<92: try editBelow(&random)
    case ..<95: try batch(&random)
    case ..<97: try editAbove(&random)
    case ..<98: try look(&random)
    case ..<99: try mergeLate()
    default: try fetchAnew(&random)
    }
  }

  /// Something after which the list shows what it showed.
  func quietStep(_ random: inout RandomSteps) throws {
    switch random.below(5) {
    case 0: try look(&random)
    case 1: context.performAndWait { processHere() }
    case 2:
      note("save, quietly")
      try context.performAndWait { try context.save() }
    case 3:
      if setting.form != .callbacks { return }
      context.performAndWait {
        let count = controller.fetchedObjects?.count ?? 0
        _ = controller.sections?.map(\.numberOfObjects)
        if count > 0, setting.section == nil {
          _ = controller.object(at: IndexPath(row: random.below(count), section: 0))
        }
      }
    default:
      note("edit of a judge elsewhere")
      if setting.predicate?.contains("judge") == true { return }
      try holdingLevels {
        try other.performAndWait {
          other.reset()
          guard let judge = pick("Judge", other, &random) else { return }
          judge.setValue(random.below(5), forKey: "grade")
          try other.save()
        }
      }
      waitForQueues()
      try mergeLate()
    }
  }

  // MARK: Here

  private func processHere() {
    note("process")
    context.processPendingChanges()
  }

  private func editHere(_ random: inout RandomSteps) {
    note("here:")
    context.performAndWait { edit(context, &random) }
  }

  private func saveHere(_ random: inout RandomSteps) throws {
    // Without merging first, what was deleted elsewhere would be inserted again.
    if !setting.rollsBackConflicts { try mergeLate() }
    let height = 1 + random.below(levels.count)
    note("save \(height) levels")
    try holdingLevels {
      for level in levels.reversed().prefix(height) { try level.save() }
      replaceTemporaryIDs()
      try label()
    }
    waitForQueues()
  }

  private func undoOrRedo(_ random: inout RandomSteps) {
    guard setting.hasUndo else { return editHere(&random) }
    let undoes = random.below(3) > 0
    note(undoes ? "undo" : "redo")
    context.performAndWait { undoes ? context.undo() : context.redo() }
  }

  private func refresh(_ random: inout RandomSteps) {
    context.performAndWait {
      let kind = ["Nation", "Nation", "Zone", "Region"][random.below(4)]
      guard let object = pick(kind, context, &random) else { return }
      let merges = random.below(2) == 0
      note("refresh \(Self.name(object)), merging \(merges)")
      context.refresh(object, mergeChanges: merges)
    }
  }

  private func fetchAnew(_ random: inout RandomSteps) throws {
    let resets = random.below(3) == 0
    if resets || setting.limit > 0 {
      try mergeLate()
      try holdingLevels {
        for level in levels { try level.save() }
        replaceTemporaryIDs()
      }
      waitForQueues()
    }
    try context.performAndWait {
      note(resets ? "reset" : "performFetch")
      if resets { context.reset() }
      try performFetch()
    }
  }

  /// A fetch of the application's own, whose objects are let go of.
  private func look(_ random: inout RandomSteps) throws {
    let entity = ["Nation", "Zone", "Champion"][random.below(3)]
    note("fetch \(entity)")
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      if random.below(2) == 0, entity != "Zone" {
        request.predicate = NSPredicate(format: "wins > %d", random.below(20))
        request.relationshipKeyPathsForPrefetching = ["home", "tags"]
      }
      request.includesPropertyValues = random.below(3) > 0
      request.shouldRefreshRefetchedObjects = false
      _ = try context.fetch(request)
    }
  }

  // MARK: Elsewhere

  func editElsewhere(_ random: inout RandomSteps) throws {
    if random.below(2) == 0 {
      context.performAndWait { processHere() }
    } else {
      audience.isUnsettled()
    }
    note("elsewhere:")
    try holdingLevels {
      try other.performAndWait {
        other.reset()
        for _ in 0..<random.below(4) + 1 { edit(other, &random) }
        try other.save()
        replaceTemporaryIDs()
      }
    }
    waitForQueues()
    if random.below(2) == 0 { try mergeLate() }
  }

  func editBelow(_ random: inout RandomSteps) throws {
    note("below:")
    try below.performAndWait {
      if !setting.keepsChild || random.below(6) == 0 { below.reset() }
      for _ in 0..<random.below(3) + 1 { edit(below, &random) }
      try below.save()
    }
    context.performAndWait {
      // What was made there is found here from now on.
      for kind in members.keys {
        for member in members[kind] ?? [] where member.object?.managedObjectContext === below {
          member.object = context.registeredObject(for: member.id) ?? member.object
        }
      }
    }
  }

  private func editAbove(_ random: inout RandomSteps) throws {
    guard setting.depth > 0 else { return try editElsewhere(&random) }
    try mergeLate()
    let index = random.below(setting.depth)
    note("above, at level \(index):")
    let level = levels[index]
    try holdingLevels {
      for _ in 0..<random.below(3) + 1 { edit(level, &random) }
      try level.save()
      replaceTemporaryIDs()
    }
    waitForQueues()
    try mergeLate()
  }

  func batch(_ random: inout RandomSteps) throws {
    // The store in memory has no batches.
    guard isSQLite else { return try editElsewhere(&random) }
    try mergeLate()
    if setting.mergesBatchesByHand { return try batchByHand(&random) }
    let level = random.below(2) == 0 ? levels[0] : other
    try holdingLevels {
      try level.performAndWait {
        if level === other { other.reset() }
        switch random.below(3) {
        case 0: try batchUpdate(level, &random)
        case 1: try batchDelete(level, &random)
        default: try batchInsert(level, &random)
        }
      }
    }
    waitForQueues()
  }

  private func batchUpdate(
    _ level: NSManagedObjectContext,
    _ random: inout RandomSteps
  ) throws {
    let isZone = random.below(3) == 0
    let request = NSBatchUpdateRequest(entityName: isZone ? "Zone" : "Nation")
    if isZone {
      request.propertiesToUpdate = ["note": ["a", "b"][random.below(2)]]
    } else if random.below(3) == 0 {
      // The zones' to-manys follow.
      request.predicate = NSPredicate(format: "wins > %d", random.below(25))
      // A batch refuses a new object, which has no row yet.
      let zone = pick("Zone", level, &random)?.objectID
      let stored = zone.flatMap { $0.isTemporaryID ? nil : $0 }
      request.propertiesToUpdate = ["home": stored ?? NSNull()]
    } else if random.below(2) == 0 {
      request.predicate = NSPredicate(format: "wins > %d", random.below(25))
      request.propertiesToUpdate = ["wins": random.wins]
    } else {
      request.predicate = NSPredicate(format: "wins == %d", random.wins)
      request.propertiesToUpdate = ["zone": random.zone]
    }
    request.resultType = .updatedObjectIDsResultType
    note("batch update of \(request.entityName): \(request.propertiesToUpdate ?? [:])")
    let result = try level.execute(request) as? NSBatchUpdateResult
    elsewhere.formUnion(result?.result as? [NSManagedObjectID] ?? [])
  }

  private func batchDelete(
    _ level: NSManagedObjectContext,
    _ random: inout RandomSteps
  ) throws {
    let isZone = random.below(4) == 0
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: isZone ? "Zone" : "Nation")
    fetch.predicate =
      isZone
      ? NSPredicate(format: "label == %@", random.label)
      : NSPredicate(format: "wins == %d", random.wins)
    note("batch delete of \(isZone ? "zones" : "nations")")
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeCount
    _ = try level.execute(request)
    // The delete rules reach others.
    for member in members["Nation"] ?? [] { elsewhere.insert(member.id) }
  }

  private func batchInsert(
    _ level: NSManagedObjectContext,
    _ random: inout RandomSteps
  ) throws {
    let rows = (0..<random.below(3) + 1).map { _ -> [String: Any] in
      ["name": newName(), "zone": random.zone, "wins": random.wins, "score": 0.5]
    }
    note("batch insert of \(rows.count)")
    let request = NSBatchInsertRequest(entityName: "Nation", objects: rows)
    request.resultType = .objectIDs
    _ = try level.execute(request)
  }
}

extension RandomSteps {
  var label: String { mutating get { ["A", "B", "C", "D", "E", "F"][below(6)] } }
}
