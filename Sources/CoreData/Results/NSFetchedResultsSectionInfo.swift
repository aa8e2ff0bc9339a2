// SPDX-License-Identifier: Apache-2.0

/// One section of a fetched results controller.
///
/// Its properties always reflect the controller's current content.
///
/// Source: documented, “NSFetchedResultsSectionInfo”.
public protocol NSFetchedResultsSectionInfo {
  /// The value of the section key path as a string; empty if the value is nil or there is no section key
  /// path.
  var name: String { get }
  /// The title in the section index; nil if the name is empty.
  var indexTitle: String? { get }
  /// The number of rows; 0 for a section that was deleted.
  var numberOfObjects: Int { get }
  /// The objects of the section, in order; never nil.
  ///
  /// - Complexity: O(rows) after a change, O(1) until the next one.
  var objects: [Any]? { get }
}
