// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport

/// A delegate that shows what it was told, and judges what it is told.
protocol ListLawAudience: NSFetchedResultsControllerDelegate {
  func willFetch(_ elsewhere: Set<NSManagedObjectID>)
  /// Shows the content of a fetch.
  func reload(_ controller: NSFetchedResultsController<NSManagedObject>)
  /// The context has reported an event, by notification, after the controller told what it meant to it.
  func eventEnded(_ objects: Set<ObjectIdentifier>, _ elsewhere: Set<NSManagedObjectID>)
  /// - Throws: where what is shown is not the content, or a telling said what it should not.
  func check(
    _ controller: NSFetchedResultsController<NSManagedObject>,
    _ elsewhere: Set<NSManagedObjectID>
  ) throws
  /// Everything that was saved elsewhere is merged.
  func isSettled()
  /// Changes here are processed while something that was saved elsewhere is not merged.
  func isUnsettled()
  /// The last telling since `forget()`.
  var lastTelling: String? { get }
  func forget()
}

extension ListLawAudience {
  func isSettled() {}
  func isUnsettled() {}
  func willFetch(_ elsewhere: Set<NSManagedObjectID>) {}
  func eventEnded(_ objects: Set<ObjectIdentifier>, _ elsewhere: Set<NSManagedObjectID>) {}
}

// MARK: - Callbacks

/// A table, and a judge of each round.
final class ListLawTable: TableDelegate, ListLawAudience {
  /// Set where the rows' order and section are read after each event.
  private let setting: ListLawSetting?
  private let isComplete: Bool
  private var keys: [ObjectIdentifier: String] = [:]
  /// Whether the keys are those that the list has its order by: what was saved elsewhere can be read
  /// before it is merged.
  private var isKeyed = true
  private var names: [String] = []
  private var telling: ListLawTelling?
  private var untold: [ListLawTelling] = []
  private var failure: ListLawWorld.Mismatch?
  private(set) var lastTelling: String?

  /// `readsKeys` says whether the order of every row is read after each event, which realises them all.
  init(_ setting: ListLawSetting, readsKeys: Bool) {
    self.setting = readsKeys ? setting : nil
    isComplete = readsKeys || !setting.readsRelated
  }

  /// A fetch ends the context's event without a telling; what was told before, as of rows that only
  /// arrived, which no notification names, belongs to other events.
  func willFetch(_ elsewhere: Set<NSManagedObjectID>) { eventEnded([], elsewhere) }

  func reload(_ controller: NSFetchedResultsController<NSManagedObject>) {
    table.reloadData(controller)
    names = (controller.sections ?? []).map(\.name)
    readKeys()
  }

  func forget() {
    table.forgetRounds()
    lastTelling = nil
  }

  func isSettled() {
    readKeys()
    isKeyed = true
  }

  func isUnsettled() { isKeyed = false }

  private func readKeys() {
    guard let setting else { return }
    keys = [:]
    for row in table.rows.joined() { keys[ObjectIdentifier(row)] = Self.key(row, setting) }
  }

  private static func key(_ object: NSManagedObject, _ setting: ListLawSetting) -> String {
    (setting.order + [setting.section].compactMap { $0 }).map { path in
      let path = path.hasPrefix("-") ? String(path.dropFirst()) : path
      return object.value(forKeyPath: path).map { "\($0)" } ?? "nil"
    }.joined(separator: "|")
  }

  func eventEnded(_ objects: Set<ObjectIdentifier>, _ elsewhere: Set<NSManagedObjectID>) {
    for (index, telling) in untold.enumerated() {
      judge(telling, index == untold.count - 1 ? objects : [], elsewhere)
    }
    untold = []
    readKeys()
    isKeyed = elsewhere.isEmpty
  }

  private func judge(
    _ telling: ListLawTelling,
    _ event: Set<ObjectIdentifier>,
    _ elsewhere: Set<NSManagedObjectID>
  ) {
    var free: [ObjectIdentifier: ListLawTelling.Reason] = [:]
    for row in telling.after.joined() {
      let id = ObjectIdentifier(row)
      if event.contains(id) {
        free[id] = .changed
      } else if !elsewhere.isEmpty, elsewhere.contains(row.objectID) {
        free[id] = .arrived
      } else if let setting, keys[id] != Self.key(row, setting) {
        free[id] = .related
      } else if setting != nil, reads(row, event, elsewhere) {
        free[id] = .perhaps
      }
    }
    do {
      try telling.judge(free, isComplete: isComplete && isKeyed)
    } catch {
      if failure == nil { failure = ListLawWorld.Mismatch(description: "\(error)") }
    }
  }

  /// Whether an object on the way to the row's order or section is one that changed, in whatever.
  private func reads(
    _ row: NSManagedObject,
    _ event: Set<ObjectIdentifier>,
    _ elsewhere: Set<NSManagedObjectID>
  ) -> Bool {
    let home = row.value(forKey: "home") as? NSManagedObject
    return [home, home?.value(forKey: "region") as? NSManagedObject].contains { object in
      object.map { event.contains(ObjectIdentifier($0)) || elsewhere.contains($0.objectID) }
        ?? false
    }
  }

  func check(
    _ controller: NSFetchedResultsController<NSManagedObject>,
    _ elsewhere: Set<NSManagedObjectID>
  ) throws {
    eventEnded([], elsewhere)
    isKeyed = false
    if let failure { throw failure }
    try table.check(controller)
    if names != (controller.sections ?? []).map(\.name) {
      throw ListLawWorld.Mismatch(description: "the table's sections are \(names)")
    }
  }

  override func played(
    _ call: Call,
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    _ object: NSManagedObject?,
    _ type: NSFetchedResultsChangeType?
  ) {
    switch call {
    case .willChange: telling = ListLawTelling(before: table.rows, oldNames: names)
    case .section: break
    case .object:
      guard let object, let type else { return }
      telling?.kinds[ObjectIdentifier(object)] = type
      telling?.objects.append(object)
    case .didChange:
      names = (controller.sections ?? []).map(\.name)
      telling?.after = table.rows
      telling?.newNames = names
      if let telling {
        untold.append(telling)
        lastTelling = telling.description
      }
      telling = nil
    }
  }
}

// MARK: - Snapshots

/// Shows the last snapshot.
final class ListLawSnapshots: ListLawAudience {
  private var ids: [[NSManagedObjectID]] = []
  private var names: [String] = []
  private var wasFetched = true
  private var failure: String?
  private(set) var lastTelling: String?

  func reload(_ controller: NSFetchedResultsController<NSManagedObject>) { wasFetched = false }
  func willFetch(_ elsewhere: Set<NSManagedObjectID>) { wasFetched = true }
  func forget() { lastTelling = nil }

  func check(
    _ controller: NSFetchedResultsController<NSManagedObject>,
    _ elsewhere: Set<NSManagedObjectID>
  ) throws {
    if let failure { throw ListLawWorld.Mismatch(description: failure) }
    let shown = (controller.sections ?? []).map { section in
      (section.objects ?? []).compactMap { ($0 as? NSManagedObject)?.objectID }
    }
    if ids != shown || names != (controller.sections ?? []).map(\.name) {
      throw ListLawWorld.Mismatch(description: "the snapshot shows \(ids), the content is \(shown)")
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    let snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(snapshot)
    let new = snapshot.sectionIdentifiers.map { snapshot.itemIdentifiers(inSection: $0) }
    let changed = snapshot.reloadedItemIdentifiers + snapshot.reconfiguredItemIdentifiers
    if new == ids, names == snapshot.sectionIdentifiers, changed.isEmpty, !wasFetched {
      failure = "a snapshot without a change"
    }
    if Set(changed).count != changed.count { failure = "a snapshot names a row twice" }
    if !Set(new.joined()).isSuperset(of: changed) { failure = "a snapshot names an unknown row" }
    ids = new
    names = snapshot.sectionIdentifiers
    lastTelling = "snapshot \(changed)"
  }
}

// MARK: - Differences

/// Applies differences.
final class ListLawDifferences: ListLawAudience {
  private var ids: [NSManagedObjectID] = []
  private var failure: String?
  private(set) var lastTelling: String?

  func reload(_ controller: NSFetchedResultsController<NSManagedObject>) {
    ids = (controller.fetchedObjects ?? []).map { $0.objectID }
  }
  func forget() { lastTelling = nil }

  func check(
    _ controller: NSFetchedResultsController<NSManagedObject>,
    _ elsewhere: Set<NSManagedObjectID>
  ) throws {
    if let failure { throw ListLawWorld.Mismatch(description: failure) }
    let shown = (controller.fetchedObjects ?? []).map { $0.objectID }
    if ids != shown {
      throw ListLawWorld.Mismatch(
        description: "the differences lead to \(ids), the content is \(shown)"
      )
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    if diff.isEmpty { failure = "an empty difference" }
    guard let new = ids.applying(diff) else {
      failure = "a difference that does not fit: \(diff) on \(ids)"
      return
    }
    // An update is a removal and an insertion that know each other.
    let removed = diff.removals.map { Self.element($0) }
    if Set(removed).count != removed.count { failure = "a difference names a row twice" }
    ids = new
    lastTelling = "\(diff)"
  }

  private static func element(
    _ change: CollectionDifference<NSManagedObjectID>.Change
  ) -> NSManagedObjectID {
    switch change {
    case .insert(_, let element, _), .remove(_, let element, _): element
    }
  }
}
