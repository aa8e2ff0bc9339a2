// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataTableRows

/// A table without a user interface that applies the callbacks of a results controller.
///
/// The table applies the callbacks as `UITableView` does between `beginUpdates` and `endUpdates`, and records
/// UIKit's error text for an invalid update. Not in Apple's framework.
///
/// ```swift
/// let table = TableMirror()
/// controller.delegate = table
/// try controller.performFetch()
/// table.reloadData(controller)
/// // … changes, saves, merges …
/// try table.check(controller)
/// ```
/// Use the table on the context's queue. Source: chosen; UIKit's texts are observed.
public final class TableMirror: NSFetchedResultsControllerDelegate {
  /// The changes of one round of delegate calls.
  public struct Round: Equatable, Sendable {
    /// The indexes of the inserted sections after the round, in the order of the calls.
    public var insertedSections: [Int] = []
    /// The indexes of the deleted sections before the round, in the order of the calls.
    public var deletedSections: [Int] = []
    /// The kind of change of each row, in the order of the calls.
    public var rows: [NSFetchedResultsChangeType] = []
    /// Whether the round has no changes.
    public var isEmpty: Bool { insertedSections.isEmpty && deletedSections.isEmpty && rows.isEmpty }
  }
  /// The error of changes that a table view would reject, or of a table that does not show its content.
  public struct InvalidUpdate: Error, CustomStringConvertible {
    /// The text of the error; for changes that a table view would reject, UIKit's text.
    public let description: String
  }

  /// The rows that the table shows, by section.
  public private(set) var rows: [[NSManagedObject]] = []
  /// Every round since the last `reloadData(_:)` or `forgetRounds()`.
  public private(set) var rounds: [Round] = []
  /// The errors since the last `reloadData(_:)`, in order.
  public private(set) var failures: [InvalidUpdate] = []
  /// The objects for which the last round had a change.
  public private(set) var touched: [NSManagedObject] = []

  private var batch = TableRows<ObjectIdentifier>.Batch()
  private var round = Round()
  private var arrivals: [ObjectIdentifier: NSManagedObject] = [:]
  private var isUpdating = false
  private var sectionsSeen = false

  /// Creates an empty table.
  public init() {}

  /// Replaces the rows with the controller's content, and clears the recorded rounds and errors.
  public func reloadData(_ controller: NSFetchedResultsController<some NSFetchRequestResult>) {
    rows = Self.content(controller.sections)
    rounds = []
    failures = []
  }

  /// Removes all recorded rounds and touched objects; the rows of the table stay.
  public func forgetRounds() {
    rounds = []
    touched = []
  }

  /// Checks that every round was valid and that the table shows the controller's content.
  ///
  /// - Throws: `InvalidUpdate`: the first of `failures`, or the first row that differs from the content.
  public func check(
    _ controller: NSFetchedResultsController<some NSFetchRequestResult>
  ) throws {
    if let failure = failures.first { throw failure }
    let content = Self.content(controller.sections)
    guard rows.map(\.count) == content.map(\.count) else {
      throw InvalidUpdate(
        description: "the table shows \(rows.map(\.count)) rows, but the content has "
          + "\(content.map(\.count))"
      )
    }
    for section in rows.indices {
      for row in rows[section].indices where rows[section][row] !== content[section][row] {
        throw InvalidUpdate(
          description: "the row at [\(section), \(row)] shows a different object than the content"
        )
      }
    }
  }

  private static func content(
    _ sections: [any NSFetchedResultsSectionInfo]?
  ) -> [[NSManagedObject]] {
    (sections ?? []).map { section in (section.objects ?? []).compactMap { $0 as? NSManagedObject }
    }
  }

  // MARK: The delegate

  /// Begins a round, as `beginUpdates` does.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    if isUpdating { fail("controllerWillChangeContent was called inside a round") }
    isUpdating = true
    sectionsSeen = false
    batch = .init()
    round = Round()
    touched = []
    arrivals = [:]
  }

  /// Records a section change, as `insertSections` and `deleteSections` do.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    if !isUpdating { fail("a section changed outside of a round") }
    if !touched.isEmpty { fail("a section changed after an object did") }
    switch type {
    case .insert:
      batch.insertedSections.append(sectionIndex)
      round.insertedSections.append(sectionIndex)
    case .delete:
      batch.deletedSections.append(sectionIndex)
      round.deletedSections.append(sectionIndex)
    default: fail("a section can only be inserted or deleted")
    }
  }

  /// Records a row change, as `insertRows`, `deleteRows`, `moveRow` and the update of a cell do.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    if !isUpdating { fail("an object changed outside of a round") }
    guard let object = anObject as? NSManagedObject else { return fail("a change has no object") }
    let id = ObjectIdentifier(object)
    if arrivals[id] != nil { fail("one object was reported twice") }
    arrivals[id] = object
    touched.append(object)
    round.rows.append(type)
    func path(_ path: IndexPath?) -> TableRows<ObjectIdentifier>.Path {
      TableRows.Path(path?.section ?? -1, path?.row ?? -1)
    }
    if (indexPath == nil) != (type == .insert) || (newIndexPath == nil) != (type == .delete) {
      fail(
        "the index paths \(indexPath as Any) and \(newIndexPath as Any) are not valid for \(type)"
      )
    }
    switch type {
    case .insert: batch.insertions.append((path(newIndexPath), id))
    case .delete: batch.deletions.append(path(indexPath))
    case .move: batch.moves.append((path(indexPath), path(newIndexPath)))
    case .update: batch.updates.append((path(indexPath), id))
    }
  }

  /// Applies the changes of the round, as `endUpdates` does.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    if !isUpdating { fail("controllerDidChangeContent was called outside of a round") }
    isUpdating = false
    rounds.append(round)
    if round.isEmpty { fail("a round has no changes") }
    for row in rows.joined() { arrivals[ObjectIdentifier(row)] = row }
    var table = TableRows(rows.map { $0.map { ObjectIdentifier($0) } })
    do {
      try table.apply(batch, counts: (controller.sections ?? []).map(\.numberOfObjects))
      rows = table.sections.map { $0.compactMap { arrivals[$0] } }
    } catch {
      fail("\(error)")
    }
  }

  private func fail(_ text: String) { failures.append(InvalidUpdate(description: text)) }
}
