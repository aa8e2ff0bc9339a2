// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// An attribute whose value the store computes from other properties.
///
/// Source: documented, “NSDerivedAttributeDescription”.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  // Unchecked: like every property, the attribute is changed only before a coordinator uses the model.

  /// The expression from which the value is computed; nil by default.
  ///
  /// Supported are `key`, `toOne.key`, `canonical:(key)`, `uppercase:(key)`, `lowercase:(key)`, `now()`,
  /// and `toMany.@count` or `toMany.@sum.key`. Text in a model file that is not a valid expression reads
  /// as nil.
  open var derivationExpression: CoreData.NSExpression? {
    get {
      // The error is dropped: as documented, text that is not a valid expression reads as nil.
      guard let derivation, let term = try? Term(format: derivation) else { return nil }
      return CoreData.NSExpression(term)
    }
    set { derivation = newValue.map { $0.term.format } ?? "" }
  }

  /// Creates a derived attribute without an expression.
  public required init() {
    super.init()
    derivation = ""
  }
}
