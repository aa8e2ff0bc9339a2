// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Told how a fetched results controller's content changes; every method is optional.
///
/// The order of a round is: will change, all changes of sections, all changes of objects, did change.
/// Old index paths count the content before the round, new ones the content after it: play them as one
/// batch. The controller shows the old content in `controllerWillChangeContent(_:)` and the new one
/// after it. A delegate makes the controller follow changes even where it implements no method.
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

  /// The title of a section in the index; the capitalised first letter of its name by default.
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

// Swift has no optional requirements: a default tells the controller that the delegate has no such
// method, and the controller does not call it again.
extension NSFetchedResultsControllerDelegate {
  /// What a delegate does that has no such method: nothing but to say so.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) { controller.results.unimplemented.insert(.willChange) }

  /// What a delegate does that has no such method: nothing but to say so.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) { controller.results.unimplemented.insert(.object) }

  /// What a delegate does that has no such method: nothing but to say so.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) { controller.results.unimplemented.insert(.section) }

  /// What a delegate does that has no such method: nothing but to say so.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) { controller.results.unimplemented.insert(.didChange) }

  /// The capitalised first letter of the name.
  public func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { defaultIndexTitle(sectionName) }
}

/// Methods that a delegate was found not to have.
struct DelegateMethods: OptionSet {
  let rawValue: Int
  static let willChange = DelegateMethods(rawValue: 1)
  static let object = DelegateMethods(rawValue: 2)
  static let section = DelegateMethods(rawValue: 4)
  static let didChange = DelegateMethods(rawValue: 8)
}
