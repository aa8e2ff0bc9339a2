// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

final class ResultsSectionInfo: NSObject, NSFetchedResultsSectionInfo {
  private let section: ResultsSection
  private weak var controller: NSFetchedResultsController<NSFetchRequestResult>?
  private var cachedObjects: (revision: Int, objects: [Any])?

  init(
    _ section: ResultsSection,
    of controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    self.section = section
    self.controller = controller
  }

  override var description: String {
    "\(addressedName) (name: \"\(name)\"; \(numberOfObjects) objects)"
  }

  var name: String { section.name }
  var numberOfObjects: Int { section.count }

  var indexTitle: String? {
    controller?.sectionIndexTitle(forSectionName: name) ?? defaultIndexTitle(name)
  }

  var objects: [Any]? {
    let revision = controller?.content.currentList?.revision ?? -1
    if let cachedObjects, cachedObjects.revision == revision { return cachedObjects.objects }
    var objects: [Any] = []
    objects.reserveCapacity(section.count)
    section.forEach { objects.append(ResultsContent.managedObject($0)) }
    cachedObjects = (revision, objects)
    return objects
  }
}

func defaultIndexTitle(_ sectionName: String) -> String? {
  sectionName.first.map { String($0).uppercased() }
}
