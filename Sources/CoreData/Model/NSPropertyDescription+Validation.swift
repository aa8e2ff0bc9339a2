// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSPropertyDescription {
  /// The error of the first validation predicate that `value` does not meet; nil where it meets all.
  ///
  /// A nil value is not asked: whether it may be missing is another rule. The warning at the same
  /// place is the error's text, or its code where it is a number; without a code it is 1550.
  /// Source: `docs/reference/behaviour.md` VAL-4.
  package func violation(of value: Any?, object: AnyObject?) -> NSError? {
    guard let value, !(value is NSNull) else { return nil }
    for (place, predicate) in validationPredicates.enumerated()
    where !predicate.evaluate(with: value) {
      let warning = place < validationWarnings.count ? validationWarnings[place] : nil
      let code = (warning as? NSNumber)?.intValue ?? NSManagedObjectValidationError
      return ValidationErrors.make(
        code,
        object: object,
        key: name,
        value: value,
        predicate: predicate,
        warning: warning as? String
      )
    }
    return nil
  }
}
