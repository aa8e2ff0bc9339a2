// SPDX-License-Identifier: Apache-2.0

/// The functions by which a results list filters and sorts objects and divides them into sections; they read
/// the current values.
package struct ResultsRules {
  /// Whether the list shows the object.
  package var matches: (_ object: AnyObject) -> Bool
  /// Returns a negative number, 0 or a positive number if the first object sorts before, equal to or after
  /// the second object.
  package var compare: (_ left: AnyObject, _ right: AnyObject) -> Int
  /// Returns a number by which objects of one section are sorted: the object with the smaller number comes
  /// first.
  ///
  /// Equal numbers do not decide the order. Nil if the order has no such number.
  package var sortPrefix: ((_ object: AnyObject) -> UInt64)?
  /// Returns the name of the object's section; nil for a list with one nameless section that always exists.
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

/// The error for a sort order that does not keep the rows of a section together: the name of a section
/// appears again after another section.
package struct SectionOrderError: Error, Hashable {
  /// The name that appears again.
  package let name: String
  /// The name of the section that comes directly before the second appearance of `name`.
  package let after: String
  /// The index, among the sorted objects, of the object at which `name` appears again.
  package let position: Int
}

/// A section that a list had: its name and its number of rows.
package struct KnownSection: Hashable, Sendable {
  package let name: String
  package let count: Int
  package init(name: String, count: Int) {
    self.name = name
    self.count = count
  }
}
