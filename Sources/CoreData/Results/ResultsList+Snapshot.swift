// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension ResultsList {
  /// Returns the list as a snapshot, in which rows that `changes` updated in place are marked as reloaded,
  /// and rows that moved are marked as reconfigured.
  ///
  /// Without a section key path, `plainIdentifier` identifies the single section. Sections with equal names
  /// are merged into one, even if the names consist of different code points.
  /// - Complexity: O(rows).
  func snapshot(
    plainIdentifier: String,
    after changes: ResultChanges?
  ) -> NSDiffableDataSourceSnapshot<String, NSManagedObjectID> {
    let isSectioned = rules.sectionName != nil
    var identified: [(String, [NSManagedObjectID])] = []
    identified.reserveCapacity(sections.count)
    var indexes: [String: Int] = [:]
    for section in sections {
      var ids: [NSManagedObjectID] = []
      ids.reserveCapacity(section.count)
      section.forEach { ids.append(ResultsContent.managedObject($0).objectID) }
      let name = isSectioned ? section.name : plainIdentifier
      if let index = indexes[name] {
        identified[index].1 += ids
      } else {
        indexes[name] = identified.count
        identified.append((name, ids))
      }
    }
    var snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(unique: identified)
    for change in changes?.rows ?? [] {
      let id = ResultsContent.managedObject(change.object).objectID
      if change.kind == .update { snapshot.reloadedItemIdentifiers.append(id) }
      if change.kind == .move { snapshot.reconfiguredItemIdentifiers.append(id) }
    }
    return snapshot
  }
}
