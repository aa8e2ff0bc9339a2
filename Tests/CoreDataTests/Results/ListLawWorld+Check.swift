// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What holds after each round.
extension ListLawWorld {
  /// Something that is not as it should be.
  struct Mismatch: Error, CustomStringConvertible {
    let description: String
  }

  func check(_ random: inout RandomSteps) throws {
    try context.performAndWait {
      context.processPendingChanges()
      // Without reading values, which would realise faults.
      if log.last?.hasPrefix("  =") != true {
        note("  = \((controller.fetchedObjects ?? []).map { labels[$0.objectID] ?? "?" })")
      }
      try audience.check(controller, elsewhere)
      // What was not merged yet is in the store, and in what a fetch finds, but not in the objects.
      guard late.isEmpty else { return }
      let shown = controller.fetchedObjects ?? []
      let fresh = try fresh(includingValues: random.below(2) == 0)
      if setting.limit == 0, setting.offset == 0 {
        guard Self.same(shown, fresh) else {
          throw mismatch("shows", shown, "a fetch gives", fresh)
        }
      } else {
        try checkWindow(shown, fresh)
      }
      if random.below(2) == 0 {
        try checkSections()
        try checkValues(shown, fresh)
      }
      try audience.check(controller, elsewhere)
      elsewhere = []
      audience.isSettled()
      touched = [:]
      kept = shown
    }
  }

  /// All that a fetch without limits finds.
  private func fresh(includingValues: Bool) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: setting.entity)
    request.sortDescriptors = controller.fetchRequest.sortDescriptors
    request.predicate = controller.fetchRequest.predicate
    request.includesSubentities = setting.includesSubentities
    request.includesPropertyValues = includingValues
    return try context.fetch(request)
  }

  private static func same(_ left: [NSManagedObject], _ right: [NSManagedObject]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0 === $1 }
  }

  /// A limit counts at the fetch alone: what was shown stays while it matches, what was touched and
  /// matches comes.
  private func checkWindow(_ shown: [NSManagedObject], _ fresh: [NSManagedObject]) throws {
    let ids = Set(shown.map(ObjectIdentifier.init))
    let expected = fresh.filter {
      let id = ObjectIdentifier($0)
      return ids.contains(id) || touched[id] != nil || kept.contains($0)
    }
    guard Self.same(shown, expected) else { throw mismatch("shows", shown, "expected", expected) }
  }

  private func checkSections() throws {
    var names: [String] = []
    var counts: [Int] = []
    for object in controller.fetchedObjects ?? [] {
      let name = setting.section.map { Self.sectionName(object.value(forKeyPath: $0)) } ?? ""
      if names.last != name {
        names.append(name)
        counts.append(0)
      }
      counts[counts.count - 1] += 1
    }
    if setting.section == nil, names.isEmpty { (names, counts) = ([""], [0]) }
    let sections = controller.sections ?? []
    guard sections.map(\.name) == names, sections.map(\.numberOfObjects) == counts else {
      throw Mismatch(
        description: "sections \(sections.map { ($0.name, $0.numberOfObjects) }) instead of "
          + "\(Array(zip(names, counts)))"
      )
    }
  }

  private static func sectionName(_ value: Any?) -> String {
    (value as? String) ?? (value as? NSNumber)?.description ?? ""
  }

  /// By another way than a fetch: the predicate and the sort descriptors on each object of the entity.
  private func checkValues(_ shown: [NSManagedObject], _ fresh: [NSManagedObject]) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: setting.entity)
    request.includesSubentities = setting.includesSubentities
    let all = try context.fetch(request)
    let matching = all.filter { controller.fetchRequest.predicate?.evaluate(with: $0) ?? true }
    let found = Set(fresh.map(ObjectIdentifier.init))
    guard found == Set(matching.map(ObjectIdentifier.init)) else {
      throw mismatch("matching are", matching, "a fetch gives", fresh)
    }
    for (first, second) in zip(shown, shown.dropFirst()) {
      for descriptor in setting.sortDescriptors {
        let order = descriptor.compare(first, to: second)
        if order == .orderedDescending {
          throw mismatch("\(descriptor) is not kept", shown, "of", fresh)
        }
        if order == .orderedAscending { break }
      }
    }
  }

  private func mismatch(
    _ one: String,
    _ left: [NSManagedObject],
    _ other: String,
    _ right: [NSManagedObject]
  ) -> Mismatch {
    Mismatch(description: "\(one)\n  \(list(left))\n\(other)\n  \(list(right))")
  }

  private func list(_ objects: [NSManagedObject]) -> String {
    objects.map { object in
      let values = setting.order.map { path in
        let path = path.hasPrefix("-") ? String(path.dropFirst()) : path
        return object.value(forKeyPath: path).map { "\($0)" } ?? "nil"
      }
      let isGone = object.managedObjectContext == nil ? " without context" : ""
      let isFault = object.isFault ? " fault" : ""
      let isDeleted = object.isDeleted ? " deleted" : ""
      return "\(Self.name(object)) \(values)\(isGone)\(isFault)\(isDeleted)"
    }.joined(separator: ", ")
  }
}
