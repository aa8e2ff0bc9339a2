// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

/// A property whose value is the result of a stored fetch.
///
/// Loaded from a model file it keeps its request, so that model, store and version hash stay right.
/// Source: documented, “NSFetchedPropertyDescription”.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  // Unchecked: as its superclass.

  /// The request as texts: what a model file gives.
  package var definition: FetchedPropertyDefinition? { willSet { willChange() } }

  package override func take(_ other: NSPropertyDescription) {
    super.take(other)
    guard let other = other as? NSFetchedPropertyDescription else { return }
    definition = other.definition
  }

  package override func hasSameContent(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSFetchedPropertyDescription, super.hasSameContent(as: other) else {
      return false
    }
    return definition?.entityName == other.definition?.entityName
      && definition?.predicateFormat == other.definition?.predicateFormat
  }
}
