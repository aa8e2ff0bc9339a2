// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Methods that are called when a fetched results controller's content changes; every one is optional.
///
/// The order of a round is: will change, all changes of sections, all changes of objects, did change.
/// Old index paths count the content before the round, new ones the content after it: play them as one
/// batch. The controller shows the old content in `controllerWillChangeContent(_:)` and the new one
/// after it.
///
/// Of the three forms only one is used. A delegate with the snapshot method gets nothing else. A delegate
/// with the difference method gets nothing else from a controller without sections. Any other delegate gets
/// the callbacks. A delegate that has none of these methods does not make the controller follow changes.
/// Source: documented, “NSFetchedResultsControllerDelegate”.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// Before the first change of a round.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  )

  /// A row came, went, moved or changed.
  ///
  /// `indexPath` is the old path, nil for an insertion; `newIndexPath` the new one, nil for a deletion.
  /// An update has both.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  )

  /// A section came or went: `type` is `insert` or `delete`.
  ///
  /// `sectionIndex` is the old index of a deleted section, and the new one of an inserted section.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  )

  /// After the last change of a round.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  )

  /// The content after a round, and after each fetch: section names and the IDs of the rows.
  ///
  /// Rows that changed in place are among `reloadedItemIdentifiers`, rows that moved among
  /// `reconfiguredItemIdentifiers`. Without a section key path the one section has an arbitrary
  /// identifier. Where a save makes temporary IDs permanent a snapshot with the new ones follows.
  /// - Complexity: O(rows) for each round.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  )

  /// What a round changed, for a controller without sections: applied to the old IDs it gives the new.
  ///
  /// Moves and updates are pairs of a removal and an insertion of one ID that are associated.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  )

  /// The title of a section in the index; the capitalised first letter of its name by default.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

// Swift has no optional requirements: the default of a method records that the delegate does not have it,
// and the controller does not call it again.
extension NSFetchedResultsControllerDelegate {
  /// The default: records that the delegate does not have the method.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) { controller.notifier.recipient.methods.markAbsent(.willChange) }

  /// The default: records that the delegate does not have the method.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) { controller.notifier.recipient.methods.markAbsent(.object) }

  /// The default: records that the delegate does not have the method.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) { controller.notifier.recipient.methods.markAbsent(.section) }

  /// The default: records that the delegate does not have the method.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) { controller.notifier.recipient.methods.markAbsent(.didChange) }

  /// The default: records that the delegate does not have the method.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) { controller.notifier.recipient.methods.markAbsent(.snapshot) }

  /// The default: records that the delegate does not have the method.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { controller.notifier.recipient.methods.markAbsent(.difference) }

  /// The capitalised first letter of the name.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { defaultIndexTitle(sectionName) }
}
