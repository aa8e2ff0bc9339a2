// SPDX-License-Identifier: Apache-2.0

/// Rules that a context leaves to the writer of its objects.
package struct PostponedRules: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// That a mandatory to-one leads somewhere.
  package static let toOnes = PostponedRules(rawValue: 1)
  /// That a to-many has as many members as it may and must have.
  package static let toManys = PostponedRules(rawValue: 2)
  /// That a mandatory transient attribute has a value: only the program's own class computes it.
  package static let transients = PostponedRules(rawValue: 4)
}

/// How far the validation of a save goes.
struct SaveValidation {
  /// Whether a save validates its changes now; faults are not realised for it.
  var isRunning = false
  /// Rules that saves leave to the writer of the objects.
  var postponedRules: PostponedRules = []
}

extension NSManagedObjectContext {
  /// Rules that saves do not check, because an import completes the objects later.
  package var postponedRules: PostponedRules {
    get { validation.postponedRules }
    set { validation.postponedRules = newValue }
  }
}
