// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// The rule by which a merge policy resolves conflicts; raw values are Apple's.
public enum NSMergePolicyType: UInt, Sendable {
  /// Lets the save fail with an error that lists the conflicts.
  case errorMergePolicyType = 0
  /// Merges property by property; if both the context and the store changed a property, the store's value is
  /// kept.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// Merges property by property; if both the context and the store changed a property, the object's value is
  /// written.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// Writes all values of the object, even if the stored row has changed.
  case overwriteMergePolicyType = 3
  /// Keeps the stored row, and sets the object to the row's values.
  case rollbackMergePolicyType = 4

  /// The core's form of the policy; nil for the error policy, which resolves no conflicts.
  var rule: MergeRule? {
    switch self {
    case .errorMergePolicyType: nil
    case .mergeByPropertyStoreTrumpMergePolicyType: .storeTrump
    case .mergeByPropertyObjectTrumpMergePolicyType: .objectTrump
    case .overwriteMergePolicyType: .overwrite
    case .rollbackMergePolicyType: .rollback
    }
  }
}
