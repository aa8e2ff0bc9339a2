// SPDX-License-Identifier: Apache-2.0

import CoreData

extension ProductTable: NSFetchedResultsControllerDelegate {
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    sectionName
  }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    print("beginUpdates")
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    switch type {
    case .insert: print("  insert section \(sectionIndex): \(sectionInfo.name)")
    case .delete: print("  delete section \(sectionIndex): \(sectionInfo.name)")
    default: return
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    guard let product = anObject as? Products else { return }
    let text = Listing.text(product)
    switch type {
    case .insert: print("  insert row \(place(newIndexPath)): \(text)")
    case .update: print("  update row \(place(indexPath)): \(text)")
    case .move: print("  move row \(place(indexPath)) to \(place(newIndexPath)): \(text)")
    case .delete: print("  delete row \(place(indexPath))")
    @unknown default: return
    }
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    print("endUpdates")
  }

  private func place(_ path: IndexPath?) -> String {
    path.map { "\($0.section).\($0.row)" } ?? "-"
  }
}
