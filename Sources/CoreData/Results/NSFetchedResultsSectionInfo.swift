// SPDX-License-Identifier: Apache-2.0

/// A section of a fetched results controller; the section always reflects the current content.
///
/// Source: documented, “NSFetchedResultsSectionInfo”.
public protocol NSFetchedResultsSectionInfo {
  /// The value of the section key path as a string; empty if the value is nil or there is no section key
  /// path.
  var name: String { get }
  /// The title in the section index; nil if the section has no title.
  var indexTitle: String? { get }
  /// The number of objects; 0 for a section that was deleted.
  var numberOfObjects: Int { get }
  /// The objects of the section, in order; never nil.
  ///
  /// - Complexity: O(rows) at the first access after a change, otherwise O(1).
  var objects: [Any]? { get }
}
