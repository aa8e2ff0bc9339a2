// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// A constant or opaque predicate created from a condition.
final class ParsedPredicate: NSPredicate, ConditionCarrier {
  let core: PredicateCore
  init(_ core: PredicateCore) {
    self.core = core
    super.init(value: false)
  }

  override var predicateFormat: String { core.condition.format }
  override var description: String { core.condition.format }
  override func evaluate(with object: Any?) -> Bool { core.evaluate(object, nil) }
  override func evaluate(with object: Any?, substitutionVariables: [String: Any]?) -> Bool {
    core.evaluate(object, substitutionVariables)
  }
  override func isEqual(_ object: Any?) -> Bool { core.isEqual(object) }
  override var hash: Int { core.condition.hashValue }
  override func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A compound predicate created from a condition.
///
/// Unlike Foundation's compound predicate, a predicate of this class prints its format, is compared by
/// content, and evaluates the condition as a whole.
final class ParsedCompoundPredicate: NSCompoundPredicate, ConditionCarrier {
  private let lock = NSLock()
  private var current: PredicateCore
  private var members: [NSPredicate]?

  init(_ core: PredicateCore, _ type: LogicalType) {
    current = core
    // Foundation requires a member for NOT. The member `true` is never used, because `subpredicates` is
    // overridden.
    super.init(type: type, subpredicates: type == .not ? [NSPredicate(value: true)] : [])
  }

  var core: PredicateCore { lock.withLock { current } }

  /// The assigned predicates; before an assignment, predicates that the first access creates from the
  /// condition.
  override var subpredicates: [NSPredicate] {
    get {
      lock.withLock {
        if let members { return members }
        let permission = EvaluationPermission.ofPart(of: current.permission)
        let made = current.condition.members.map { NSPredicate.make($0, permission: permission) }
        members = made
        return made
      }
    }
    set {
      lock.withLock {
        let conditions = newValue.map(\.condition)
        current = PredicateCore(
          Condition(compoundPredicateType, conditions).limited,
          permission: .ofArguments(newValue)
        )
        members = newValue
      }
    }
  }

  override var predicateFormat: String { core.condition.format }
  override var description: String { core.condition.format }
  override func evaluate(with object: Any?) -> Bool { core.evaluate(object, nil) }
  override func evaluate(with object: Any?, substitutionVariables: [String: Any]?) -> Bool {
    core.evaluate(object, substitutionVariables)
  }
  override func isEqual(_ object: Any?) -> Bool { core.isEqual(object) }
  override var hash: Int { core.condition.hashValue }
  override func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NSCompoundPredicate.LogicalType {
  init?(_ condition: Condition) {
    switch condition {
    case .and: self = .and
    case .or: self = .or
    case .not: self = .not
    case .constant, .comparison, .opaque: return nil
    }
  }
}

extension Condition {
  init(_ type: NSCompoundPredicate.LogicalType, _ members: [Condition]) {
    switch type {
    case .and: self = .and(members)
    case .or: self = .or(members)
    case .not: self = members.first.map(Condition.not) ?? .constant(true)
    }
  }

  fileprivate var members: [Condition] {
    switch self {
    case .and(let members), .or(let members): members
    case .not(let member): [member]
    case .constant, .comparison, .opaque: []
    }
  }
}
