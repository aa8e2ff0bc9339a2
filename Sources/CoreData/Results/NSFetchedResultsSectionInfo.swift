// SPDX-License-Identifier: Apache-2.0

/// One section of a fetched results controller.
///
/// It shows the section as it is: after a change of the controller's content, the content then.
/// Source: documented, “NSFetchedResultsSectionInfo”.
public protocol NSFetchedResultsSectionInfo {
  /// The value of the section key path as text; empty for nil, and without a section key path.
  var name: String { get }
  /// The title in the section index; nil where the name is empty.
  var indexTitle: String? { get }
  /// Number of rows; 0 for a section that was deleted.
  var numberOfObjects: Int { get }
  /// The objects of the section, in order; never nil.
  ///
  /// - Complexity: O(rows) after a change, O(1) until the next one.
  var objects: [Any]? { get }
}
