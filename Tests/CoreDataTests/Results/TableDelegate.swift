// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport

/// Plays the calls of a controller in a table, and then hands them to its subclass.
class TableDelegate: NSFetchedResultsControllerDelegate {
  enum Call: CaseIterable { case willChange, section, object, didChange }
  let table = TableMirror()

  /// The table has played a call; object and type are those of a changed object.
  func played(
    _ call: Call,
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    _ object: NSManagedObject?,
    _ type: NSFetchedResultsChangeType?
  ) {}

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    table.controllerWillChangeContent(controller)
    played(.willChange, controller, nil, nil)
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    table.controller(controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
    played(.section, controller, nil, nil)
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    table.controller(
      controller,
      didChange: anObject,
      at: indexPath,
      for: type,
      newIndexPath: newIndexPath
    )
    played(.object, controller, anObject as? NSManagedObject, type)
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    table.controllerDidChangeContent(controller)
    played(.didChange, controller, nil, nil)
  }
}
