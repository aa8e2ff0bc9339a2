// SPDX-License-Identifier: Apache-2.0

/// Validation rules that the saves of an importing context do not check, because the import completes and
/// checks the objects later, or cannot run the code on which the rules depend.
package struct PostponedRules: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// A mandatory to-one has a destination.
  package static let toOnes = PostponedRules(rawValue: 1)
  /// The number of members of a to-many is within its limits.
  package static let toManys = PostponedRules(rawValue: 2)
  /// A mandatory transient attribute has a value.
  ///
  /// Only the program's own class can compute the value.
  package static let transients = PostponedRules(rawValue: 4)
}

struct SaveValidation {
  /// Whether a save is validating its changes; faults are not realised during this validation.
  var isRunning = false
  var postponedRules: PostponedRules = []
  /// Is called with each violation of a save, which then does not fail; nil if a save fails with its violations.
  ///
  /// A migration saves objects before they are complete, and validates them in the end.
  var reportViolation: ((NSManagedObject, NSError) -> Void)?
}

extension NSManagedObjectContext {
  /// The rules that saves of this context do not check; empty except during an import.
  package var postponedRules: PostponedRules {
    get { validation.postponedRules }
    set { validation.postponedRules = newValue }
  }
}
