// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// Resolves the conflicts of a save: a row was changed or deleted after the context read it, or a uniqueness
/// constraint is violated.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
/// ```
/// A subclass overrides one or more of the `resolve` methods, changes the objects of the conflicts, and calls
/// super for the remaining conflicts. The save is then tried again, a limited number of times.
///
/// Like Apple's class, this one is not `Sendable`, because a subclass may have mutable state.
///
/// Source: documented, “NSMergePolicy”; behaviour.md SAVE-2 to SAVE-7, SAVE-10.
open class NSMergePolicy: NSObject {
  /// The built-in rule that the `resolve` methods apply; a subclass can override these methods.
  public let mergeType: NSMergePolicyType

  /// Creates a policy of the given type.
  public init(merge ty: NSMergePolicyType) {
    mergeType = ty
    super.init()
  }

  /// The address and the type of the policy.
  open override var description: String { "\(addressedName) (\(mergeType))" }

  /// The policy under which a save with conflicts fails; the error, 133020 or 133021, lists the conflicts.
  public class var error: NSMergePolicy { errorPolicy }
  /// The policy that merges property by property; if both the context and the store changed a property, the
  /// store's value is kept.
  public class var mergeByPropertyStoreTrump: NSMergePolicy { storeTrumpPolicy }
  /// The policy that merges property by property; if both the context and the store changed a property, the
  /// object's value is written.
  public class var mergeByPropertyObjectTrump: NSMergePolicy { objectTrumpPolicy }
  /// The policy that writes all values of the object, even if the stored row has changed.
  public class var overwrite: NSMergePolicy { overwritePolicy }
  /// The policy that keeps the stored row, and sets the object to the row's values.
  public class var rollback: NSMergePolicy { rollbackPolicy }

  // Unsafe because the class is not `Sendable`; a policy of this class is immutable.
  private nonisolated(unsafe) static let errorPolicy = NSMergePolicy(merge: .errorMergePolicyType)
  // Unsafe because the class is not `Sendable`; a policy of this class is immutable.
  private nonisolated(unsafe) static let storeTrumpPolicy = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType
  )
  // Unsafe because the class is not `Sendable`; a policy of this class is immutable.
  private nonisolated(unsafe) static let objectTrumpPolicy = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType
  )
  // Unsafe because the class is not `Sendable`; a policy of this class is immutable.
  private nonisolated(unsafe) static let overwritePolicy = NSMergePolicy(
    merge: .overwriteMergePolicyType
  )
  // Unsafe because the class is not `Sendable`; a policy of this class is immutable.
  private nonisolated(unsafe) static let rollbackPolicy = NSMergePolicy(
    merge: .rollbackMergePolicyType
  )

  /// Resolves `NSMergeConflict`s and then `NSConstraintConflict`s, each with the method for its type; other
  /// values are ignored.
  ///
  /// - Throws: the errors of these methods, such as 133020 or 133021 for unresolved conflicts. The save that
  ///   called this method then fails with the error.
  open func resolve(mergeConflicts list: [Any]) throws {
    let versions = list.compactMap { $0 as? NSMergeConflict }
    if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
    let constraints = list.compactMap { $0 as? NSConstraintConflict }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }

  /// Resolves each conflict between an object and its row according to the policy.
  ///
  /// - Throws: `NSManagedObjectMergeError` (133020) with the conflicts if this is the error policy; the
  ///   store's errors.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    guard let rule = mergeType.rule else { throw MergeErrors.versions(list) }
    for conflict in list {
      try conflict.sourceObject.context?.apply(rule, to: conflict)
    }
  }

  /// Resolves each conflict so that only one object keeps the constrained values, according to the policy.
  ///
  /// A new object is merged into the `databaseObject` or, if that is nil, into one of the conflicting
  /// objects, and is then deleted. For a conflict between two stored objects, one object is deleted or gets
  /// its stored values back.
  ///
  /// - Throws: `NSManagedObjectConstraintMergeError` (133021) with the conflicts if this is the error policy.
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    guard let rule = mergeType.rule else { throw MergeErrors.constraints(list) }
    for conflict in list {
      let context = conflict.databaseObject?.context ?? conflict.conflictingObjects.first?.context
      try context?.apply(rule, to: conflict)
    }
  }
}

/// The policy under which a save with conflicts fails; the error, 133020 or 133021, lists the conflicts.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// The policy that merges property by property; if both the context and the store changed a property, the
/// store's value is kept.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyStoreTrump
}
/// The policy that merges property by property; if both the context and the store changed a property, the
/// object's value is written.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyObjectTrump
}
/// The policy that writes all values of the object, even if the stored row has changed.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The policy that keeps the stored row, and sets the object to the row's values.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }
