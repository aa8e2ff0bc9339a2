// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Methods that a fetched results controller calls when its content changes; all of them are optional.
///
/// Callbacks are sent in this order: will change, all section changes, all object changes, did change. Old
/// indexes and paths refer to the content before the round, and new ones refer to the content after the
/// round, so apply all changes as one batch. During `controllerWillChangeContent(_:)` the controller still
/// has the old content, and afterwards it has the new content.
///
/// Changes are sent in one of three forms. A delegate that implements the snapshot method receives only
/// snapshots. Otherwise, if the controller has no section key path, a delegate that implements the difference
/// method receives only differences. Any other delegate receives the callbacks. If the delegate implements no
/// method for changes, the controller follows the context only if there are other observers.
///
/// Source: documented, “NSFetchedResultsControllerDelegate”.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// Called before the first change of a round, which is one update of the controller's content.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  )

  /// Called when a row was inserted, deleted, moved or updated.
  ///
  /// `indexPath` is the old path, nil for an insertion; `newIndexPath` is the new path, nil for a deletion. A
  /// move or an update has both.
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

  /// Called after the last change of a round, which is one update of the controller's content.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  )

  /// Called after each round and each fetch with the whole content: section names and the IDs of the objects.
  ///
  /// `reloadedItemIdentifiers` contains the IDs of objects whose rows changed in place.
  /// `reconfiguredItemIdentifiers` contains the IDs of objects whose rows moved. Without a section key path,
  /// the single section has an arbitrary identifier. When a save makes temporary IDs permanent, another
  /// snapshot with the permanent IDs follows.
  /// - Complexity: O(rows) for each snapshot.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  )

  /// Called after a round of a controller without a section key path, with the difference between the old and
  /// the new IDs.
  ///
  /// A move or an update is represented by a removal and an insertion that are associated with each other. A
  /// removal contains the ID that the delegate last received for the row. When a save makes temporary IDs
  /// permanent, another difference replaces the temporary IDs with the permanent IDs.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  )

  /// Returns the title of a section in the section index, or nil for no title; by default, the first letter
  /// of the section's name in upper case.
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

  /// Returns the first letter of the name in upper case; nil for an empty name.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { defaultIndexTitle(sectionName) }
}
