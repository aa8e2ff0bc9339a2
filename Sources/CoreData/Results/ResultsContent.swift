// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// The lists that a fetched results controller shows, independent of its result type.
///
/// There are two lists, which are usually identical: the current list, to which changes of the context are
/// applied, and the displayed list, which the controller's accessors read. The lists differ in two cases:
/// during `controllerWillChangeContent(_:)`, if the changes are already applied; and after a round in which
/// the delegate implemented no method that was called.
package final class ResultsContent {
  /// Whether the rows are divided into sections by a key path.
  package let isSectioned: Bool
  /// The list to which changes are applied; nil before the first fetch, during a fetch, and after a failed
  /// fetch.
  package private(set) var currentList: ResultsList?
  /// The list that the controller's accessors read; nil if `currentList` is nil.
  package private(set) var displayedList: ResultsList?
  /// What the current list reads from its context; nil if there is no current list.
  private(set) var dependencies: ResultsDependencies?
  /// The number of fetches that have begun.
  ///
  /// A round ends early if this number has changed since the round began, because a callback has fetched
  /// again.
  package private(set) var fetchCount = 0
  private var sectionInfos: (list: ResultsList, revision: Int, infos: [ResultsSectionInfo])?

  /// Creates content without lists.
  package init(isSectioned: Bool) { self.isSectioned = isSectioned }

  // MARK: Lists

  /// Removes both lists at the beginning of a fetch, and increments `fetchCount`.
  package func removeAll() {
    fetchCount += 1
    currentList = nil
    displayedList = nil
    dependencies = nil
    sectionInfos = nil
  }

  /// Makes a fetched list both the current list and the displayed list.
  package func replace(with list: ResultsList) {
    currentList = list
    displayedList = list
  }

  func replace(with fetched: FetchedList) {
    replace(with: fetched.list)
    dependencies = fetched.dependencies
  }

  /// Returns a copy of the displayed list.
  ///
  /// The copy does not change when the current list changes. Returns nil if there is no list, or if the
  /// displayed list is already separate from the current list.
  /// - Complexity: O(rows/512 + sections).
  package func displayedCopy() -> ResultsList? {
    displayedList === currentList ? displayedList?.frozen() : nil
  }

  /// Makes the accessors read `list`.
  package func display(_ list: ResultsList) { displayedList = list }

  /// Makes the accessors read the current list.
  package func displayCurrentList() { displayedList = currentList }

  /// Makes the accessors read `list` until the next round, and makes `list` retain its objects.
  ///
  /// All objects of `list` must still exist.
  package func keepDisplaying(_ list: ResultsList) {
    list.keepObjects()
    displayedList = list
  }

  /// Replaces the current list with the displayed list, which does not contain the changes of the last round.
  package func revertToDisplayedList() { currentList = displayedList }

  // MARK: Reading

  /// Returns the object of a row; stops the program if the path is outside the displayed list, or if there is
  /// no list.
  ///
  /// - Complexity: O(log rows).
  package func object(at path: IndexPath) -> AnyObject {
    guard let displayedList else { Misuse.resultsNotFetched(hasBegunFetch: fetchCount > 0) }
    let sections = displayedList.sections
    guard path.count == 2 else { Misuse.indexPathIsNotRow(path) }
    guard sections.indices.contains(path[0]) else {
      Misuse.noSection(at: path[0], count: sections.count)
    }
    let section = sections[path[0]]
    guard path[1] >= 0, path[1] < section.count else {
      Misuse.noObject(at: path[1], section: path[0], count: section.count)
    }
    return section[path[1]]
  }

  /// Returns one object for each displayed section; nil if there is no list.
  ///
  /// Until the list changes, every call returns the same objects. The controller provides the sections' index
  /// titles.
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

  static func managedObject(_ row: AnyObject) -> NSManagedObject {
    // All rows of a list are managed objects: fetched objects, or changed objects of the context.
    unsafeDowncast(row, to: NSManagedObject.self)
  }
}
