// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// What the controller gives as a section: a view of a section of its list.
final class ResultsSectionInfo: NSObject, NSFetchedResultsSectionInfo {
  let section: ResultsSection
  /// Nil once the controller is gone or fetched anew.
  private weak var results: TrackedResults?
  private var cached: (revision: Int, objects: [Any])?

  init(_ section: ResultsSection, of results: TrackedResults) {
    self.section = section
    self.results = results
  }

  override var description: String {
    "\(addressedName) (name: \"\(name)\"; \(numberOfObjects) objects)"
  }

  var name: String { section.name }
  var numberOfObjects: Int { section.count }

  var indexTitle: String? {
    results?.controller.sectionIndexTitle(forSectionName: name) ?? defaultIndexTitle(name)
  }

  var objects: [Any]? {
    let revision = results?.list?.revision ?? -1
    if let cached, cached.revision == revision { return cached.objects }
    var objects: [Any] = []
    objects.reserveCapacity(section.count)
    section.forEach { objects.append(TrackedResults.managed($0)) }
    cached = (revision, objects)
    return objects
  }
}

/// The capitalised first letter; nil for an empty name.
func defaultIndexTitle(_ sectionName: String) -> String? {
  sectionName.first.map { String($0).uppercased() }
}
