// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Methods that a fetched results controller calls when its content changes; all of them are optional.
///
/// The order of a round is: will change, all section changes, all object changes, did change. Old index
/// paths refer to the content before the round, new ones to the content after it, so apply them as one
/// batch. The controller shows the old content during `controllerWillChangeContent(_:)` and the new
/// content after it.
///
/// Changes are sent in one of three forms. A delegate that implements the snapshot method receives only
/// snapshots. A delegate that implements the difference method receives only differences, if the
/// controller has no sections. Any other delegate receives the callbacks. A delegate that implements none
/// of these methods does not make the controller follow changes.
///
/// Source: documented, “NSFetchedResultsControllerDelegate”.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// Called before the first change of a round.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  )

  /// Called when a row was inserted, deleted, moved or updated.
  ///
  /// `indexPath` is the old path, nil for an insertion; `newIndexPath` is the new path, nil for a
  /// deletion. An update has both.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  )

  /// Called when a section was inserted or deleted; `type` is `insert` or `delete`.
  ///
  /// `sectionIndex` is the old index of a deleted section, or the new index of an inserted one.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  )

  /// Called after the last change of a round.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  )

  /// Called after a round and after each fetch with the whole content: section names and the IDs of the
  /// rows.
  ///
  /// Rows that changed in place are in `reloadedItemIdentifiers`, and rows that moved are in
  /// `reconfiguredItemIdentifiers`. Without a section key path the single section has an arbitrary
  /// identifier. When a save makes temporary IDs permanent, another snapshot with the permanent IDs
  /// follows.
  /// - Complexity: O(rows) for each round.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  )

  /// Called after a round of a controller without sections, with the difference between the old and the
  /// new IDs.
  ///
  /// A move or an update is an associated removal and insertion of the same ID.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  )

  /// Returns the title of a section in the section index; by default the capitalised first letter of its
  /// name.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

// Swift has no optional requirements. The default implementation of a method records that the delegate does
// not implement the method, and the controller does not call the method again.
extension NSFetchedResultsControllerDelegate {
  /// The default implementation, which records that the delegate does not implement the method.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) { controller.notifier.recipient.methods.markAbsent(.willChange) }

  /// The default implementation, which records that the delegate does not implement the method.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) { controller.notifier.recipient.methods.markAbsent(.object) }

  /// The default implementation, which records that the delegate does not implement the method.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) { controller.notifier.recipient.methods.markAbsent(.section) }

  /// The default implementation, which records that the delegate does not implement the method.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) { controller.notifier.recipient.methods.markAbsent(.didChange) }

  /// The default implementation, which records that the delegate does not implement the method.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) { controller.notifier.recipient.methods.markAbsent(.snapshot) }

  /// The default implementation, which records that the delegate does not implement the method.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { controller.notifier.recipient.methods.markAbsent(.difference) }

  /// Returns the capitalised first letter of the name; nil for an empty name.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { defaultIndexTitle(sectionName) }
}
