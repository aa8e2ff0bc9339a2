// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataPredicate

/// The permission to evaluate a predicate or expression from an untrusted archive.
///
/// Allowing a predicate also allows its parts, whether they were read before or are read later. Allowing a
/// part allows only that part. A predicate that is composed of other predicates can be evaluated if all of
/// those are allowed.
///
/// A predicate or expression that can always be evaluated has nil instead of a permission.
final class EvaluationPermission: Sendable {
  private let isGiven = Atomic(false)
  /// The permission of the predicate or expression from which this part was read; nil if this is not a part.
  private let whole: EvaluationPermission?
  /// The permissions of the predicates and expressions that were composed; empty if this is not a
  /// composition.
  private let parts: [EvaluationPermission]

  private init(whole: EvaluationPermission?, parts: [EvaluationPermission]) {
    self.whole = whole
    self.parts = parts
  }

  /// Creates a permission that is not given until `allow()` is called.
  convenience init() { self.init(whole: nil, parts: []) }

  /// Returns the permission of a part of a predicate or expression; nil if the whole needs no permission.
  static func ofPart(of whole: EvaluationPermission?) -> EvaluationPermission? {
    whole.map { EvaluationPermission(whole: $0, parts: []) }
  }

  /// Returns the permission of a composition; nil if no part needs a permission.
  static func ofComposition(_ parts: [EvaluationPermission?]) -> EvaluationPermission? {
    let needed = parts.compactMap { $0 }
    return needed.count < 2 ? needed.first : EvaluationPermission(whole: nil, parts: needed)
  }

  var isAllowed: Bool {
    if isGiven.load(ordering: .acquiring) || whole?.isAllowed == true { return true }
    return !parts.isEmpty && parts.allSatisfy(\.isAllowed)
  }

  /// The permission of a changed copy, which must be allowed separately; nil if this permission was given.
  var forCopy: EvaluationPermission? { isAllowed ? nil : EvaluationPermission() }

  func allow() {
    isGiven.store(true, ordering: .releasing)
    for part in parts { part.allow() }
  }

  /// Stops the program if the permission is not given; `kind` is `predicate` or `expression`, for the
  /// message.
  func require(for kind: String) { if !isAllowed { Misuse.disabledEvaluation(kind) } }
}

extension NSPredicate {
  /// The permission that the predicate's evaluation needs; nil if the predicate can always be evaluated.
  ///
  /// A compound predicate of Foundation's class has no permission of its own, so the permissions of its parts
  /// are collected at each access.
  var evaluationPermission: EvaluationPermission? {
    if let carrier = self as? any ConditionCarrier { return carrier.core.permission }
    var needed: [EvaluationPermission?] = []
    var waiting = [self]
    while let next = waiting.popLast() {
      if let carrier = next as? any ConditionCarrier {
        needed.append(carrier.core.permission)
      } else if let compound = next as? NSCompoundPredicate {
        waiting.append(contentsOf: compound.subpredicates)
      }
    }
    return .ofComposition(needed)
  }
}

extension EvaluationPermission {
  /// Returns the permission of a predicate or expression that is composed of the predicates and expressions
  /// among `arguments`.
  static func ofArguments(_ arguments: [Any]) -> EvaluationPermission? {
    ofComposition(
      arguments.map { argument in
        switch argument {
        case let predicate as NSPredicate: predicate.evaluationPermission
        case let expression as NSExpression: expression.permission
        default: nil
        }
      }
    )
  }
}
