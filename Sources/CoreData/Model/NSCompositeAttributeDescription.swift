// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// An attribute made of others: its value is a dictionary from their names to their values.
///
/// ```swift
/// let location = NSCompositeAttributeDescription()
/// location.name = "location"
/// location.elements = [latitude, longitude]
/// ```
/// Predicates and sort descriptors reach an element by a path, such as `location.latitude`; a store has a
/// column for each. Source: documented, “NSCompositeAttributeDescription”; the columns' names are chosen.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  // Unchecked: as its superclass.

  /// The attributes that the value is made of, composite ones included; none at first.
  open var elements: [NSAttributeDescription] = [] {
    willSet { willChange() }
    // What is made here is no longer the type that a model file names.
    didSet { compositeName = nil }
  }

  /// A composite attribute of nothing yet.
  public required init() {
    super.init()
    attributeType = .compositeAttributeType
  }

  package override func take(_ other: NSPropertyDescription) {
    if let other = other as? NSCompositeAttributeDescription {
      elements = other.elements.compactMap { $0.copy() as? NSAttributeDescription }
    }
    super.take(other)
  }

  package override func hasSameContent(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSCompositeAttributeDescription, super.hasSameContent(as: other),
      elements.count == other.elements.count
    else { return false }
    return zip(elements, other.elements).allSatisfy { $0.isEqual($1) }
  }
}
