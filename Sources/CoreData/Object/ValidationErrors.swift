// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Creates validation errors with Apple's codes and `userInfo`.
///
/// Source: documented, “Validation Error Codes”; `docs/reference/behaviour.md` §5.
package enum ValidationErrors {
  /// Returns the error for one invalid value.
  ///
  /// `code` is one of Apple's validation error codes (1550 to 1690), or the number that the model assigns to
  /// a validation predicate. `element` is the path of the invalid element of a composite attribute, and is
  /// empty for any other property. A nil `value` has no entry in `userInfo`. A non-nil `warning` replaces the
  /// standard description.
  package static func make(
    _ code: Int,
    object: AnyObject?,
    key: String,
    value: Any?,
    element: [String] = [],
    predicate: NSPredicate? = nil,
    warning: String? = nil
  ) -> NSError {
    let names = (object as? NSManagedObject).map(LocalizedNames.init)
    let place = ([names?.property(key) ?? key] + element).joined(separator: ".")
    let text = warning ?? text(code, place)
    var info: [String: Any] = [NSValidationKeyErrorKey: key]
    if let object { info[NSValidationObjectErrorKey] = object }
    if let value { info[NSValidationValueErrorKey] = value }
    if let predicate { info[NSValidationPredicateErrorKey] = predicate }
    return coreDataError(code, names?.error(text) ?? text, userInfo: info)
  }

  /// Returns the error for an invalid value of one property; see
  /// `make(_:object:key:value:element:predicate:warning:)`.
  package static func make(
    _ code: Int,
    object: AnyObject?,
    property: PropertyDefinition,
    value: Any?
  ) -> NSError {
    make(code, object: object, key: property.name, value: value)
  }

  /// Combines errors into one: returns nil if there are no errors, a single error unchanged, and a
  /// multiple-errors error (1560) for several errors.
  ///
  /// A multiple-errors error in `errors` is replaced by the errors in its `NSDetailedErrorsKey`.
  package static func combined(_ errors: [any Error]) -> NSError? {
    let details = errors.flatMap(details)
    if details.count < 2 { return details.first }
    return coreDataError(
      NSValidationMultipleErrorsError,
      "Multiple validation errors occurred.",
      userInfo: [NSDetailedErrorsKey: details]
    )
  }

  /// Throws the error that `combined(_:)` returns, if any.
  package static func throwIfAny(_ errors: [any Error]) throws {
    if let error = combined(errors) { throw error }
  }

  private static func details(_ error: any Error) -> [NSError] {
    let error = error as NSError
    if error.domain == NSCocoaErrorDomain, error.code == NSValidationMultipleErrorsError,
      let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
    {
      return details
    }
    return [error]
  }

  private struct LocalizedNames {
    private let entity: String
    private let table: [String: String]

    init(_ object: NSManagedObject) {
      entity = object.entity.name ?? ""
      table = object.entity.managedObjectModel.localizationDictionary ?? [:]
    }

    func property(_ name: String) -> String? {
      table["Property/\(name)/Entity/\(entity)"] ?? table["Property/\(name)"]
    }

    func error(_ text: String) -> String? { table["ErrorString/\(text)"] }
  }

  private static func text(_ code: Int, _ key: String) -> String {
    switch code {
    case NSManagedObjectConstraintValidationError: "\(key) must be unique."
    case NSValidationMissingMandatoryPropertyError: "\(key) is a required value."
    case NSValidationRelationshipLacksMinimumCountError: "\(key) has too few items."
    case NSValidationRelationshipExceedsMaximumCountError: "\(key) has too many items."
    case NSValidationRelationshipDeniedDeleteError:
      "The object cannot be deleted while \(key) is not empty."
    case NSValidationNumberTooLargeError: "\(key) is too large."
    case NSValidationNumberTooSmallError: "\(key) is too small."
    case NSValidationDateTooLateError: "\(key) is too late."
    case NSValidationDateTooSoonError: "\(key) is too soon."
    case NSValidationInvalidDateError: "\(key) is not a valid date."
    case NSValidationStringTooLongError: "\(key) is too long."
    case NSValidationStringTooShortError: "\(key) is too short."
    case NSValidationStringPatternMatchingError: "\(key) does not match its pattern."
    case NSValidationInvalidURIError: "\(key) is not a valid URI."
    default: "\(key) is not valid."
    }
  }
}
