// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// What a save does when a row has changed since it was read, or would not be unique.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
/// ```
/// A subclass overrides one of the `resolve` methods, changes the objects of the conflicts, and calls
/// super for what it leaves. The save is tried again after them, a bounded number of times.
/// Source: documented, “NSMergePolicy”; behaviour.md SAVE-2 to SAVE-7, SAVE-10.
///
/// Not `Sendable`, as Apple's: a subclass may have state of its own, and has nothing to restate.
open class NSMergePolicy: NSObject {
  /// The kind of policy.
  public let mergeType: NSMergePolicyType

  /// A policy of that kind.
  public init(merge ty: NSMergePolicyType) {
    mergeType = ty
    super.init()
  }

  /// The kind of policy by its name.
  open override var description: String { "\(addressedName) (\(mergeType))" }

  /// The save fails with 133020 or 133021 and the conflicts.
  public class var error: NSMergePolicy { errorPolicy }
  /// By property; where both sides changed it, the store's value stays.
  public class var mergeByPropertyStoreTrump: NSMergePolicy { storeTrumpPolicy }
  /// By property; where both sides changed it, the object's value is written.
  public class var mergeByPropertyObjectTrump: NSMergePolicy { objectTrumpPolicy }
  /// The whole object is written.
  public class var overwrite: NSMergePolicy { overwritePolicy }
  /// The whole row stays, and the object takes its values.
  public class var rollback: NSMergePolicy { rollbackPolicy }

  // Unsafe: a policy of this class is immutable.
  private nonisolated(unsafe) static let errorPolicy = NSMergePolicy(merge: .errorMergePolicyType)
  // Unsafe: as above.
  private nonisolated(unsafe) static let storeTrumpPolicy = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType
  )
  // Unsafe: as above.
  private nonisolated(unsafe) static let objectTrumpPolicy = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType
  )
  // Unsafe: as above.
  private nonisolated(unsafe) static let overwritePolicy = NSMergePolicy(
    merge: .overwriteMergePolicyType
  )
  // Unsafe: as above.
  private nonisolated(unsafe) static let rollbackPolicy = NSMergePolicy(
    merge: .rollbackMergePolicyType
  )

  /// Resolves `NSMergeConflict`s, then `NSConstraintConflict`s, each kind by its own method.
  ///
  /// - Throws: 133020 or 133021 for what stays unresolved; the save fails with it.
  open func resolve(mergeConflicts list: [Any]) throws {
    let versions = list.compactMap { $0 as? NSMergeConflict }
    if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
    let constraints = list.compactMap { $0 as? NSConstraintConflict }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }

  /// Gives each conflict's object the values that the policy decides for.
  ///
  /// - Throws: `NSManagedObjectMergeError` (133020) with the conflicts, by the error policy; what the
  ///   store says where it cannot be read.
  /// - Complexity: one statement for each changed to-many of the objects.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    guard let rule = mergeType.rule else { throw MergeErrors.versions(list) }
    for conflict in list {
      try conflict.sourceObject.context?.apply(rule, to: conflict)
    }
  }

  /// Leaves one object of each conflict, with the values that the policy decides for.
  ///
  /// - Throws: `NSManagedObjectConstraintMergeError` (133021) with the conflicts, by the error policy.
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    guard let rule = mergeType.rule else { throw MergeErrors.constraints(list) }
    for conflict in list {
      let context = conflict.databaseObject?.context ?? conflict.conflictingObjects.first?.context
      try context?.apply(rule, to: conflict)
    }
  }
}

/// The save fails with 133020 or 133021 and the conflicts.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// By property; where both sides changed it, the store's value stays.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyStoreTrump
}
/// By property; where both sides changed it, the object's value is written.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyObjectTrump
}
/// The whole object is written.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The whole row stays, and the object takes its values.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }
