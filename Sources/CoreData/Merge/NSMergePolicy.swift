// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a save does when a row has changed since it was read; raw values are Apple's.
public enum NSMergePolicyType: UInt, Sendable {
  /// The save fails.
  case errorMergePolicyType = 0
}

/// What a save does when a row has changed since it was read.
///
/// Source: documented, “NSMergePolicy”. Only the error policy exists; see DEVIATIONS.md.
open class NSMergePolicy: NSObject, @unchecked Sendable {
  // Unchecked: immutable.
  /// The kind of policy.
  public let mergeType: NSMergePolicyType

  /// A policy of that kind.
  public init(merge ty: NSMergePolicyType) {
    mergeType = ty
    super.init()
  }

  /// The save fails with `NSManagedObjectMergeError` (133020) and the conflicts.
  public class var error: NSMergePolicy { errorPolicy }
  private static let errorPolicy = NSMergePolicy(merge: .errorMergePolicyType)
}

/// The save fails with `NSManagedObjectMergeError` (133020) and the conflicts.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
