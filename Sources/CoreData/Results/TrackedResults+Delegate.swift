// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// Telling the delegate: the one form of its choice.
///
/// A snapshot method keeps all others from being called, a difference method the callbacks (where there
/// are no sections). Source: documented, behaviour.md FRC-3, FRC-9, FRC-16, FRC-17.
extension TrackedResults {
  /// Whether the delegate has, or may have, the method.
  private func mayHave(_ name: DelegateMethods.Names) -> Bool { !methods.absent.contains(name) }

  /// Calls a method unless the delegate is known not to have it.
  ///
  /// - Returns: whether it has it.
  @discardableResult
  private func call(
    _ name: DelegateMethods.Names,
    _ body: (any NSFetchedResultsControllerDelegate) -> Void
  ) -> Bool {
    guard let delegate, addressed == audience, mayHave(name) else { return false }
    body(delegate)
    // In the call it may have named another one.
    guard addressed == audience else { return true }
    methods.wasCalled(name)
    return methods.present.contains(name)
  }

  // MARK: A round

  /// Changes the list by `apply` and tells everybody, in the delegate's form.
  func tell(_ apply: () -> ResultChanges) {
    let fetch = fetches
    let old = shown
    addressed = audience
    let isLate = delegate != nil && mustAsk
    // Callbacks show the old content first, but which form it is turns out only by the new content.
    // One that is not known to listen may have to go on with the old content.
    let mayNeedOld = delegate != nil && (isLate || methods.present.isEmpty)
    let before = mayNeedOld && shown === list ? list?.frozen() : nil
    if delegate != nil, !isLate, methods.present.isDisjoint(with: form) {
      call(.willChange) { $0.controllerWillChangeContent(self.controller) }
      if fetch != fetches { return }
    }
    // Rows' temporary IDs that a save has replaced: the difference replaces them too.
    let renamed = delegate == nil ? [] : renamedRows()
    let changes = apply()
    // Deleted objects live in the changes alone, and the old content may still show them.
    withExtendedLifetime(changes) {
      tell(changes, fetch, before, renamed, wasLate: isLate)
      if fetch != fetches { return }
      for listener in listeners { listener.contentDidChange(changes, of: self) }
      if addressed != audience { shown = list } else if delegate != nil { settle(before ?? old) }
    }
  }

  /// The snapshot and difference methods that count for this list.
  private var form: DelegateMethods.Names { isSectioned ? .snapshot : [.snapshot, .difference] }

  /// Whether it is not known yet in which form the delegate is told.
  private var mustAsk: Bool {
    if methods.present.contains(.snapshot) { return false }
    if methods.isUnknown(.snapshot) { return true }
    return !isSectioned && methods.isUnknown(.difference)
  }

  private func tell(
    _ changes: ResultChanges,
    _ fetch: Int,
    _ before: ResultsList?,
    _ renamed: [RenamedRow],
    wasLate: Bool
  ) {
    if tellSnapshot(changes) || !isSectioned && tellDifference(changes, renamed) { return }
    if wasLate {
      if let before { shown = before }
      call(.willChange) { $0.controllerWillChangeContent(self.controller) }
      if fetch != fetches { return }
      if before != nil { shown = list }
    }
    for (change, type) in changes.deletedSections.map({ ($0, NSFetchedResultsChangeType.delete) })
      + changes.insertedSections.map({ ($0, .insert) }) where fetch == fetches
    {
      call(.section) {
        $0.controller(
          self.controller,
          didChange: ResultsSectionInfo(change.section, of: self),
          atSectionIndex: change.index,
          for: type
        )
      }
    }
    tellRows(changes, fetch)
    if fetch == fetches { call(.didChange) { $0.controllerDidChangeContent(self.controller) } }
  }

  private func tellRows(_ changes: ResultChanges, _ fetch: Int) {
    for change in changes.rows where fetch == fetches && mayHave(.object) {
      call(.object) {
        $0.controller(
          self.controller,
          didChange: Self.managed(change.object),
          at: change.old.map(IndexPath.init),
          for: NSFetchedResultsChangeType(change.kind),
          newIndexPath: change.new.map(IndexPath.init)
        )
      }
    }
  }

  /// A delegate without any of the methods does not make the controller follow: it goes on showing
  /// what it showed.
  private func settle(_ before: ResultsList?) {
    guard listeners.isEmpty, methods.present.isEmpty else {
      shown = list
      return
    }
    before?.keepObjects()
    shown = before ?? shown
    if isDelegateSilent {
      list = shown
      follow()
    }
  }

  /// Whether the delegate is known to have none of the methods that this list would call.
  var isDelegateSilent: Bool {
    let relevant = DelegateMethods.Names.all.subtracting(isSectioned ? .difference : .section)
    return methods.absent.isSuperset(of: relevant)
  }

  // MARK: Snapshots

  /// After a fetch only a snapshot is given; who is told by differences reads the content's IDs.
  func tellOfFetch() {
    guard delegate != nil, list != nil else { return }
    addressed = audience
    if !tellSnapshot(nil), !isSectioned, mayHave(.difference) { rememberTemporaryIDs(nil) }
  }

  @discardableResult
  private func tellSnapshot(_ changes: ResultChanges?) -> Bool {
    guard mayHave(.snapshot), delegate != nil, let list else { return false }
    // Filled when somebody reads it, because most delegates have no such method.
    let snapshot = NSDiffableDataSourceSnapshotReference {
      self.snapshot(of: list, after: changes)
    }
    let isThere = call(.snapshot) { $0.controller(self.controller, didChangeContentWith: snapshot) }
    if isThere {
      snapshot.fill()
      // The snapshot names every row by the ID that it has now.
      temporaryIDs = temporaryIDs.filter { $0.value.object.key.isTemporary }
      rememberTemporaryIDs(changes)
    }
    return isThere
  }

  private func snapshot(
    of list: ResultsList,
    after changes: ResultChanges?
  ) -> NSDiffableDataSourceSnapshotReference.Content {
    NSDiffableDataSourceSnapshotReference.Content(typedSnapshot(of: list, after: changes))
  }

  /// The list as a snapshot: rows that changed in place are reloaded, rows that moved reconfigured.
  ///
  /// Sections whose names are equal strings, though of other code points, are one there.
  ///
  /// - Complexity: O(rows).
  func typedSnapshot(
    of list: ResultsList,
    after changes: ResultChanges?
  ) -> NSDiffableDataSourceSnapshot<String, NSManagedObjectID> {
    var sections: [(String, [NSManagedObjectID])] = []
    sections.reserveCapacity(list.sections.count)
    var known: [String: Int] = [:]
    for section in list.sections {
      var ids: [NSManagedObjectID] = []
      ids.reserveCapacity(section.count)
      section.forEach { ids.append(Self.managed($0).objectID) }
      let name = isSectioned ? section.name : plainSectionIdentifier
      // Names of other code points can be equal as identifiers.
      if let index = known[name] {
        sections[index].1 += ids
      } else {
        known[name] = sections.count
        sections.append((name, ids))
      }
    }
    var snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(unique: sections)
    for change in changes?.rows ?? [] {
      let id = Self.managed(change.object).objectID
      if change.kind == .update { snapshot.reloadedItemIdentifiers.append(id) }
      if change.kind == .move { snapshot.reconfiguredItemIdentifiers.append(id) }
    }
    return snapshot
  }

  // MARK: Differences

  private func tellDifference(_ changes: ResultChanges, _ renamed: [RenamedRow]) -> Bool {
    guard mayHave(.difference), delegate != nil else { return false }
    let difference = difference(changes, renamed)
    let isThere = call(.difference) {
      $0.controller(self.controller, didChangeContentWith: difference)
    }
    if isThere {
      for row in renamed { temporaryIDs[ObjectIdentifier(row.object)] = nil }
      rememberTemporaryIDs(changes)
    }
    return isThere
  }

  /// The rows' changes as removals and insertions; a move is a pair of the same ID that know each other,
  /// and so is an update.
  private func difference(
    _ changes: ResultChanges,
    _ renamed: [RenamedRow]
  ) -> CollectionDifference<NSManagedObjectID> {
    var steps: [CollectionDifference<NSManagedObjectID>.Change] = []
    for change in changes.rows {
      let object = Self.managed(change.object)
      let id = object.objectID
      if let old = change.old {
        steps.append(
          .remove(
            offset: old.row,
            element: temporaryIDs[ObjectIdentifier(object)]?.id ?? id,
            associatedWith: change.new?.row
          )
        )
      }
      if let new = change.new {
        steps.append(.insert(offset: new.row, element: id, associatedWith: change.old?.row))
      }
    }
    let told = renamed.isEmpty ? [] : Set(changes.rows.map { ObjectIdentifier($0.object) })
    for row in renamed where !told.contains(ObjectIdentifier(row.object)) {
      guard let new = list?.path(of: row.object)?.row else { continue }
      steps.append(.remove(offset: row.row, element: row.id, associatedWith: new))
      steps.append(.insert(offset: new, element: row.object.objectID, associatedWith: row.row))
    }
    return Self.difference(steps)
  }

  private static func difference(
    _ steps: [CollectionDifference<NSManagedObjectID>.Change]
  ) -> CollectionDifference<NSManagedObjectID> {
    guard let difference = CollectionDifference(steps) else {
      preconditionFailure("each row is removed and inserted at most once")
    }
    return difference
  }

  // MARK: Permanent IDs

  /// A row that the delegate was given a temporary ID of, which is permanent by now.
  private struct RenamedRow {
    let object: NSManagedObject
    let id: NSManagedObjectID
    let row: Int
  }

  private func renamedRows() -> [RenamedRow] {
    guard !isSectioned, mayHave(.difference), let list else { return [] }
    return temporaryIDs.values.compactMap { object, id in
      guard !object.key.isTemporary, let row = list.path(of: object)?.row else { return nil }
      return RenamedRow(object: object, id: id, row: row)
    }
  }

  private func rememberTemporaryIDs(_ changes: ResultChanges?) {
    guard let changes else {
      temporaryIDs = [:]
      guard let list else { return }
      if context.parentSource == nil {
        for object in context.graph.inserted where list.contains(object) {
          rememberTemporaryID(object)
        }
      } else {
        // What the child has saved is temporary until the root saves.
        list.objects.forEach(rememberTemporaryID)
      }
      return
    }
    for change in changes.rows {
      temporaryIDs[ObjectIdentifier(change.object)] = nil
      if change.new != nil { rememberTemporaryID(change.object) }
    }
  }

  private func rememberTemporaryID(_ object: AnyObject) {
    let object = Self.managed(object)
    if object.key.isTemporary { temporaryIDs[ObjectIdentifier(object)] = (object, object.objectID) }
  }

  /// After a save: who was given temporary IDs gets the permanent ones.
  ///
  /// Source: behaviour.md FRC-21; callbacks name objects, so for them nothing changed.
  func tellOfPermanentIDs() {
    guard let list, !temporaryIDs.isEmpty else { return }
    addressed = audience
    var steps: [CollectionDifference<NSManagedObjectID>.Change] = []
    for (object, id) in temporaryIDs.values where !object.key.isTemporary {
      temporaryIDs[ObjectIdentifier(object)] = nil
      guard let row = list.path(of: object)?.row else { continue }
      steps.append(.remove(offset: row, element: id, associatedWith: row))
      steps.append(.insert(offset: row, element: object.objectID, associatedWith: row))
    }
    if steps.isEmpty { return }
    // A delegate that was told nothing yet may have either method.
    if !tellSnapshot(ResultChanges()), !isSectioned, mayHave(.difference) {
      let difference = Self.difference(steps)
      call(.difference) { $0.controller(self.controller, didChangeContentWith: difference) }
    }
  }
}
