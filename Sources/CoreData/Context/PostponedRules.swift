// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Validation rules that a save does not check during an import or a migration with a mapping model.
///
/// The rules for relationships are checked at the end. The rule for transient attributes cannot be checked,
/// because it needs code of the program that created the data.
package struct PostponedRules: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The rule that a mandatory to-one has a destination.
  package static let toOnes = PostponedRules(rawValue: 1)
  /// The rule that the number of members of a to-many is within its limits.
  package static let toManys = PostponedRules(rawValue: 2)
  /// The rule that a mandatory transient attribute has a value.
  ///
  /// Only the program's own class can compute the value.
  package static let transients = PostponedRules(rawValue: 4)
}

struct SaveValidation {
  /// Whether a save is validating its changes; faults are not realised during this validation.
  var isRunning = false
  var postponedRules: PostponedRules = []
  /// Called with each validation error of a save, which then does not fail; if nil, a validation error makes
  /// the save fail.
  ///
  /// A migration saves objects before they are complete, and validates them at its end.
  var reportViolation: ((NSManagedObject, NSError) -> Void)?
  /// Called when the stored value of a transformable attribute cannot be decoded; if nil, such a value is
  /// read as nil without a report.
  ///
  /// A migration sets this closure and fails when it is called, because the value would be lost.
  var reportUndecodable: ((NSManagedObject, PropertyDefinition) -> Void)?
}

extension NSManagedObjectContext {
  /// The validation rules that saves of this context do not check; empty except during an import or a
  /// migration with a mapping model.
  package var postponedRules: PostponedRules {
    get { validation.postponedRules }
    set { validation.postponedRules = newValue }
  }
}
