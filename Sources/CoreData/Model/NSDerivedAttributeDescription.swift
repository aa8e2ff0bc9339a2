// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// An attribute whose value the store computes with an expression.
///
/// Source: documented, “NSDerivedAttributeDescription”.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  // Unchecked: like every property, the attribute is changed only before the model is first used.

  /// The expression from which the value is computed; nil by default.
  ///
  /// The forms that Apple documents are supported: `key` and `toOne.key`, `canonical:(…)`, `uppercase:(…)` or
  /// `lowercase:(…)` of either, `toMany.@count`, `toMany.@sum.key`, and `now()`. If the text in a model file
  /// is not a valid expression, the value is nil.
  open var derivationExpression: CoreData.NSExpression? {
    get {
      // The error is dropped: as documented, text that is not a valid expression reads as nil.
      guard let derivation, let term = try? Term(format: derivation) else { return nil }
      return CoreData.NSExpression(term)
    }
    set { derivation = newValue.map { $0.term.format } ?? "" }
  }

  /// Creates a derived attribute without an expression.
  public override init() {
    super.init()
    derivation = ""
  }
}
