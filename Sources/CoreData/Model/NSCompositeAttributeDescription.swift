// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// An attribute composed of other attributes.
///
/// The value is a dictionary from the names of these attributes to their values.
///
/// ```swift
/// let location = NSCompositeAttributeDescription()
/// location.name = "location"
/// location.elements = [latitude, longitude]
/// ```
/// Predicates and sort descriptors refer to an element with a key path such as `location.latitude`. An SQLite
/// store has one column for each element that is not composite itself.
///
/// Source: documented, “NSCompositeAttributeDescription”; the column names are this library's choice.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  // Unchecked: like every property, the attribute is changed only before the model is first used.

  /// The component attributes, which may be composite too; empty by default.
  open var elements: [NSAttributeDescription] = [] {
    willSet { willChange() }
    // Changed elements no longer match the type that the model file names.
    didSet { compositeName = nil }
  }

  /// Creates a composite attribute without elements.
  public override init() {
    super.init()
    attributeType = .compositeAttributeType
  }

  package override func copySettings(from other: NSPropertyDescription) {
    if let other = other as? NSCompositeAttributeDescription {
      elements = other.elements.compactMap { $0.copy() as? NSAttributeDescription }
    }
    super.copySettings(from: other)
  }

  package override func hasSameContent(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSCompositeAttributeDescription, super.hasSameContent(as: other),
      elements.count == other.elements.count
    else { return false }
    return zip(elements, other.elements).allSatisfy { $0.isEqual($1) }
  }
}
