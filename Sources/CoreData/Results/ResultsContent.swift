// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// What a fetched results controller shows, whatever its result type.
///
/// There are two lists, mostly the same one. The context's changes are applied to the current list; the
/// controller's accessors read the displayed list. They differ while a delegate is called before a change
/// that was applied already, and for a delegate that turned out not to have any method for changes.
package final class ResultsContent {
  /// Whether a key path divides the rows into sections.
  package let isSectioned: Bool
  /// The list to which changes are applied; nil before the first fetch and after one that failed.
  package private(set) var currentList: ResultsList?
  /// The list that the controller's accessors read; nil when `currentList` is.
  package private(set) var displayedList: ResultsList?
  /// What the current list reads from its context; nil where there is no list.
  private(set) var dependencies: ResultsDependencies?
  /// Number of fetches begun; a round that a fetch interrupts ends when this has changed.
  package private(set) var fetchCount = 0
  private var sectionInfos: (list: ResultsList, revision: Int, infos: [ResultsSectionInfo])?

  /// No content yet.
  package init(isSectioned: Bool) { self.isSectioned = isSectioned }

  // MARK: Lists

  /// Removes the content, because a fetch begins.
  package func removeAll() {
    fetchCount += 1
    currentList = nil
    displayedList = nil
    dependencies = nil
    sectionInfos = nil
  }

  /// Shows a list that was just fetched.
  package func replace(with list: ResultsList) {
    currentList = list
    displayedList = list
  }

  /// Shows what a fetch found.
  func replace(with fetched: FetchedList) {
    replace(with: fetched.list)
    dependencies = fetched.dependencies
  }

  /// A copy of the displayed list as it is now; nil where it is not the current list, and so does not change
  /// with it.
  ///
  /// - Complexity: O(rows/512 + sections).
  package func displayedCopy() -> ResultsList? {
    displayedList === currentList ? displayedList?.frozen() : nil
  }

  /// Makes the accessors read `list`.
  package func display(_ list: ResultsList) { displayedList = list }

  /// Makes the accessors read the current list.
  package func displayCurrentList() { displayedList = currentList }

  /// Makes the accessors read `list` until the next round, and lets it hold its objects.
  ///
  /// All objects of `list` must still be alive.
  package func keepDisplaying(_ list: ResultsList) {
    list.keepObjects()
    displayedList = list
  }

  /// Gives up the current list: the displayed one, which does not know the last changes, takes its place.
  package func revertToDisplayedList() { currentList = displayedList }

  // MARK: Reading

  /// The object of a row; a path outside the displayed list stops the program.
  ///
  /// - Complexity: O(log rows).
  package func object(at path: IndexPath) -> AnyObject {
    guard let displayedList else { Misuse.resultsNotFetched() }
    let sections = displayedList.sections
    guard path.count == 2, sections.indices.contains(path[0]) else {
      Misuse.noObject(at: path, sections: sections.count, rows: nil)
    }
    let section = sections[path[0]]
    guard path[1] >= 0, path[1] < section.count else {
      Misuse.noObject(at: path, sections: sections.count, rows: section.count)
    }
    return section[path[1]]
  }

  /// One object for each displayed section, the same ones until the list changes; nil without a list.
  ///
  /// The controller gives the titles of the sections in its index.
  func sectionInfos(
    of controller: NSFetchedResultsController<NSFetchRequestResult>
  ) -> [any NSFetchedResultsSectionInfo]? {
    guard let list = displayedList else { return nil }
    if let sectionInfos, sectionInfos.list === list, sectionInfos.revision == list.revision {
      return sectionInfos.infos
    }
    let infos = list.sections.map { ResultsSectionInfo($0, of: controller) }
    sectionInfos = (list, list.revision, infos)
    return infos
  }

  /// A row of a list as the managed object that it is.
  static func managedObject(_ row: AnyObject) -> NSManagedObject {
    // Only a fetch of managed objects, and the changes of their context, fill a list.
    unsafeDowncast(row, to: NSManagedObject.self)
  }
}
