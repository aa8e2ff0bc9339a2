// SPDX-License-Identifier: Apache-2.0

/// What a results list asks about its objects, always by their current values.
package struct ResultsRules {
  /// Whether the list shows the object.
  package var matches: (_ object: AnyObject) -> Bool
  /// Negative, zero or positive, as the first object sorts before, beside or after the second.
  package var compare: (_ left: AnyObject, _ right: AnyObject) -> Int
  /// A number: of two objects of one section, that with the smaller one sorts before the other.
  ///
  /// Equal ones say nothing. Nil where there is no such number.
  package var lead: ((_ object: AnyObject) -> UInt64)?
  /// The section an object belongs to; nil for a list with one nameless section that always exists.
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

/// The objects do not sort into their sections: a section's name came back after another one.
package struct SectionOrderError: Error, Hashable {
  /// The name that came again.
  package let name: String
  /// The section between.
  package let after: String
  /// Place in the sorted objects, from 0.
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
