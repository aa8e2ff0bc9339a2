// SPDX-License-Identifier: Apache-2.0

/// The functions by which a results list filters and sorts objects and divides them into sections.
///
/// The functions read the current values of the objects.
package struct ResultsRules {
  /// Returns whether the list shows `object`.
  package var matches: (_ object: AnyObject) -> Bool
  /// Returns a negative number if `left` sorts before `right`, a positive number if it sorts after `right`,
  /// and 0 if they compare equal.
  package var compare: (_ left: AnyObject, _ right: AnyObject) -> Int
  /// Returns an object's lead: within a section, the object with the smaller lead comes first.
  ///
  /// Objects with equal leads must be compared with `compare`. The property is nil if the order has no leads.
  package var sortPrefix: ((_ object: AnyObject) -> UInt64)?
  /// Returns the name of an object's section.
  ///
  /// The property is nil if the list always has exactly one section, which has no name.
  package var sectionName: ((_ object: AnyObject) -> String)?

  package init(
    matches: @escaping (AnyObject) -> Bool,
    compare: @escaping (AnyObject, AnyObject) -> Int,
    sectionName: ((AnyObject) -> String)? = nil
  ) {
    self.matches = matches
    self.compare = compare
    self.sectionName = sectionName
  }
}

/// An error that is thrown if the sort order does not keep the rows of a section together, so that the name
/// of a section appears again after another section.
package struct SectionOrderError: Error, Hashable {
  /// The name that appears again.
  package let name: String
  /// The name of the section that comes directly before the second appearance of `name`.
  package let after: String
  /// The index, among the sorted objects, of the object at which `name` appears again.
  package let position: Int
}

/// The name and the number of rows that a section is expected to have.
package struct KnownSection: Hashable, Sendable {
  package let name: String
  package let count: Int
  package init(name: String, count: Int) {
    self.name = name
    self.count = count
  }
}
