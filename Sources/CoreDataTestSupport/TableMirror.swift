// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataTableRows

/// A table without a user interface that applies the callbacks of a results controller.
///
/// The table applies the callbacks as `UITableView` does between `beginUpdates` and `endUpdates`. Invalid
/// updates are recorded in `failures`; if UIKit raises an exception for the same update, the error has the
/// exception's text. Not in Apple's framework.
///
/// ```swift
/// let table = TableMirror()
/// controller.delegate = table
/// try controller.performFetch()
/// table.reloadData(controller)
/// // … changes, saves, merges …
/// try table.check(controller)
/// ```
/// Use the table on the context's queue. Source: this library's choice; UIKit's texts are observed.
public final class TableMirror: NSFetchedResultsControllerDelegate {
  /// The changes of one round of delegate calls.
  public struct Round: Equatable, Sendable {
    /// The indexes that the inserted sections have after the round, in the order of the calls.
    public var insertedSections: [Int] = []
    /// The indexes that the deleted sections had before the round, in the order of the calls.
    public var deletedSections: [Int] = []
    /// The kind of each change of a row, in the order of the calls.
    public var rows: [NSFetchedResultsChangeType] = []
    /// Whether the round has no changes.
    public var isEmpty: Bool { insertedSections.isEmpty && deletedSections.isEmpty && rows.isEmpty }
  }
  /// The error for invalid callbacks, or for a table that does not show the controller's content.
  public struct InvalidUpdate: Error, CustomStringConvertible {
    /// The text of the error: the text of UIKit's exception if UIKit raises one for the same update.
    public let description: String
  }

  /// The rows that the table shows, by section.
  public private(set) var rows: [[NSManagedObject]] = []
  /// The rounds since the last `reloadData(_:)` or `forgetRounds()`, in order.
  public private(set) var rounds: [Round] = []
  /// The errors since the last `reloadData(_:)`, in order.
  public private(set) var failures: [InvalidUpdate] = []
  /// The objects that changed in the last round, in the order of the calls.
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

  /// Removes all recorded rounds and touched objects, but not the rows of the table.
  public func forgetRounds() {
    rounds = []
    touched = []
  }

  /// Checks that every round since the last `reloadData(_:)` was valid and that the table shows the
  /// controller's content.
  ///
  /// - Throws: `InvalidUpdate`: the first of `failures`; if `failures` is empty, the first difference between
  ///   the table and the content in the numbers of rows or in a row.
  public func check(
    _ controller: NSFetchedResultsController<some NSFetchRequestResult>
  ) throws {
    if let failure = failures.first { throw failure }
    let content = Self.content(controller.sections)
    guard rows.map(\.count) == content.map(\.count) else {
      throw InvalidUpdate(
        description: "the numbers of rows in the table's sections are \(rows.map(\.count)), but "
          + "those in the controller's sections are \(content.map(\.count))"
      )
    }
    for section in rows.indices {
      for row in rows[section].indices where rows[section][row] !== content[section][row] {
        throw InvalidUpdate(
          description: "the table's row at [\(section), \(row)] shows "
            + "\(rows[section][row].objectID), but the controller's object at this path is "
            + "\(content[section][row].objectID)"
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
    if isUpdating {
      fail("controllerWillChangeContent was called again before controllerDidChangeContent")
    }
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
    let change =
      "the \(Self.name(type)) of the section “\(sectionInfo.name)” at index \(sectionIndex)"
    if !isUpdating {
      fail("\(change) was reported without a preceding controllerWillChangeContent")
    }
    if !touched.isEmpty { fail("\(change) was reported after the change of an object") }
    switch type {
    case .insert:
      batch.insertedSections.append(sectionIndex)
      round.insertedSections.append(sectionIndex)
    case .delete:
      batch.deletedSections.append(sectionIndex)
      round.deletedSections.append(sectionIndex)
    default: fail("\(change) is invalid: a section can only be inserted or deleted")
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
    guard let object = anObject as? NSManagedObject else {
      return fail(
        "the changed object is not an NSManagedObject but of type \(Swift.type(of: anObject))"
      )
    }
    let change =
      "the \(Self.name(type)) of the object \(object.objectID) from \(Self.name(indexPath)) to "
      + Self.name(newIndexPath)
    if !isUpdating {
      fail("\(change) was reported without a preceding controllerWillChangeContent")
    }
    let id = ObjectIdentifier(object)
    if isUpdating, arrivals[id] != nil {
      fail("\(change) is the second change of this object in one round")
    }
    arrivals[id] = object
    touched.append(object)
    round.rows.append(type)
    func path(_ path: IndexPath?) -> TableRows<ObjectIdentifier>.Path {
      TableRows.Path(path?.section ?? -1, path?.row ?? -1)
    }
    if (indexPath == nil) != (type == .insert) || (newIndexPath == nil) != (type == .delete) {
      fail(
        "\(change) is invalid: an insertion has no old path, a deletion has no new path, and any other "
          + "change has both"
      )
    }
    switch type {
    case .insert: batch.insertions.append((path(newIndexPath), id))
    case .delete: batch.deletions.append(path(indexPath))
    case .move: batch.moves.append((path(indexPath), path(newIndexPath)))
    case .update: batch.updates.append((path(indexPath), id))
    }
  }

  /// Applies the changes of the round, as `endUpdates` does; an invalid update is recorded in `failures` and
  /// leaves the rows unchanged.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    if !isUpdating {
      fail("controllerDidChangeContent was called without a preceding controllerWillChangeContent")
    }
    isUpdating = false
    rounds.append(round)
    if round.isEmpty {
      fail("controllerDidChangeContent was called without a change in the round")
    }
    for row in rows.joined() { arrivals[ObjectIdentifier(row)] = row }
    var table = TableRows(rows.map { $0.map { ObjectIdentifier($0) } })
    do {
      try table.apply(batch, counts: (controller.sections ?? []).map(\.numberOfObjects))
      rows = table.sections.map { $0.compactMap { arrivals[$0] } }
    } catch {
      fail("\(error)")
    }
  }

  private static func name(_ type: NSFetchedResultsChangeType) -> String {
    switch type {
    case .insert: "insertion"
    case .delete: "deletion"
    case .move: "move"
    case .update: "update"
    }
  }

  private static func name(_ path: IndexPath?) -> String {
    path.map { "\(Array($0))" } ?? "no path"
  }

  private func fail(_ text: String) { failures.append(InvalidUpdate(description: text)) }
}
