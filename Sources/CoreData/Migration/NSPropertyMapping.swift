// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// How a migration computes the value of one property.
///
/// Source: documented, “NSPropertyMapping”.
open class NSPropertyMapping: NSObject {
  /// The name of the property in the destination entity; nil by default.
  open var name: String?
  /// The expression for the value, with variables such as `$source` and `$manager`; nil if there is none, or
  /// if the text in a mapping file is not a valid expression.
  open var valueExpression: CoreData.NSExpression?
  /// Values for the application's own use; nil if there are none.
  open var userInfo: [AnyHashable: Any]?

  /// Creates a mapping without a property.
  public override init() {}

  init(_ draft: PropertyMappingDraft) {
    super.init()
    name = draft.name
    valueExpression = Self.expression(draft.expression)
  }

  static func expression(_ format: String?) -> CoreData.NSExpression? {
    // The error is dropped: as documented, text that is not a valid expression gives nil.
    guard let format, let term = try? Term(format: format) else { return nil }
    return CoreData.NSExpression(term)
  }
}
