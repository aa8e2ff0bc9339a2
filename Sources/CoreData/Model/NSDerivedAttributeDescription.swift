// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// An attribute whose value the store computes from other properties.
///
/// Source: documented, “NSDerivedAttributeDescription”.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  // Unchecked: as its superclass.

  /// What the value is computed from; nil at first.
  ///
  /// Known are `key`, `toOne.key`, `canonical:(key)`, `uppercase:(key)`, `lowercase:(key)`, `now()`,
  /// and `toMany.@count` or `toMany.@sum.key`. A text in a model file that is no expression reads as nil.
  open var derivationExpression: CoreData.NSExpression? {
    get {
      // As documented: a text that is not an expression is nil.
      guard let derivation, let term = try? Term(format: derivation) else { return nil }
      return CoreData.NSExpression(term)
    }
    set { derivation = newValue.map { $0.term.format } ?? "" }
  }

  /// An attribute that is derived from nothing yet.
  public required init() {
    super.init()
    derivation = ""
  }
}
