// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// How the value of one property is made.
///
/// Source: documented, “NSPropertyMapping”.
open class NSPropertyMapping: NSObject {
  /// Name of the destination's property.
  open var name: String?
  /// What gives the value, of variables such as `$source` and `$manager`; nil leaves it alone.
  open var valueExpression: CoreData.NSExpression?
  /// The application's own notes.
  open var userInfo: [AnyHashable: Any]?

  /// A mapping of no property.
  public override init() {}

  init(_ draft: PropertyMappingDraft) {
    super.init()
    name = draft.name
    valueExpression = Self.expression(draft.expression)
  }

  static func expression(_ format: String?) -> CoreData.NSExpression? {
    // As documented: what is not an expression is nil.
    guard let format, let term = try? Term(format: format) else { return nil }
    return CoreData.NSExpression(term)
  }
}
