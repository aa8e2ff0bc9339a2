// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Describes how a migration computes the value of one property.
///
/// Source: documented, “NSPropertyMapping”.
open class NSPropertyMapping: NSObject {
  /// The name of the property in the destination entity; nil by default.
  open var name: String?
  /// The expression for the value, with variables such as `$source` and `$manager`.
  ///
  /// If it is nil, which is the default, the migration does not set the property.
  open var valueExpression: CoreData.NSExpression?
  /// Values for the application's own use; nil by default.
  open var userInfo: [AnyHashable: Any]?

  /// Whether the attribute keeps its default value if the expression evaluates to nil.
  ///
  /// True for mandatory attributes of inferred mappings, so that a migration manager produces the same values
  /// as a migration in place.
  var keepsDefaultForNil = false

  /// Creates an empty mapping.
  public override init() {}

  /// - Throws: `ModelError` if the text of the expression cannot be parsed.
  init(_ draft: PropertyMappingDraft, of mapping: String) throws {
    super.init()
    name = draft.name
    valueExpression = try Self.expression(draft.expression, of: mapping, draft.name)
  }

  static func expression(
    _ format: String?,
    of mapping: String,
    _ property: String?
  ) throws -> CoreData.NSExpression? {
    guard let format else { return nil }
    do {
      return CoreData.NSExpression.make(try Term(format: format))
    } catch {
      throw ModelError(
        entity: mapping,
        property: property,
        reason: "the expression \(format) cannot be parsed: \(error)"
      )
    }
  }
}
