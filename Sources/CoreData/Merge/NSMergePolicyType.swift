// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// What a save does when a row has changed since it was read; raw values are Apple's.
public enum NSMergePolicyType: UInt, Sendable {
  /// The save fails.
  case errorMergePolicyType = 0
  /// By property; where both sides changed it, the store's value stays.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// By property; where both sides changed it, the object's value is written.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// The whole object is written.
  case overwriteMergePolicyType = 3
  /// The whole row stays, and the object takes its values.
  case rollbackMergePolicyType = 4

  /// Nil where conflicts are not resolved.
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
