// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataPredicate

/// Whether a predicate or expression from an untrusted archive may be evaluated.
///
/// Allowing a predicate also allows the parts that were or will be read from it; allowing a part allows only
/// that part. A predicate that is composed of others may be evaluated if all of them may be.
///
/// Predicates and expressions that need no permission have none.
final class EvaluationPermission: Sendable {
  private let isGiven = Atomic(false)
  /// The permission of the predicate or expression from which this part was read.
  private let whole: EvaluationPermission?
  /// The permissions of the predicates and expressions of which this one is composed.
  private let parts: [EvaluationPermission]

  private init(whole: EvaluationPermission?, parts: [EvaluationPermission]) {
    self.whole = whole
    self.parts = parts
  }

  /// Creates a permission that is not given yet.
  convenience init() { self.init(whole: nil, parts: []) }

  /// Returns the permission of a part of a predicate or expression; nil if the whole needs none.
  static func ofPart(of whole: EvaluationPermission?) -> EvaluationPermission? {
    whole.map { EvaluationPermission(whole: $0, parts: []) }
  }

  /// Returns the permission of a composition; nil if all of its parts need none.
  static func ofComposition(_ parts: [EvaluationPermission?]) -> EvaluationPermission? {
    let needed = parts.compactMap { $0 }
    return needed.count < 2 ? needed.first : EvaluationPermission(whole: nil, parts: needed)
  }

  var isAllowed: Bool {
    if isGiven.load(ordering: .acquiring) || whole?.isAllowed == true { return true }
    return !parts.isEmpty && parts.allSatisfy(\.isAllowed)
  }

  /// A permission for a changed copy, which must be allowed by itself; nil if this permission is given.
  var forCopy: EvaluationPermission? { isAllowed ? nil : EvaluationPermission() }

  func allow() {
    isGiven.store(true, ordering: .releasing)
    for part in parts { part.allow() }
  }

  /// Stops the program if the permission is not given; `kind` is the kind of what it concerns, for the
  /// message.
  func require(for kind: String) { if !isAllowed { Misuse.disabledEvaluation(kind) } }
}

extension NSPredicate {
  /// The permission that the predicate's evaluation needs; nil if it needs none.
  ///
  /// A compound predicate of Foundation's class has no permission of its own, so those of its parts are
  /// collected at each access.
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
