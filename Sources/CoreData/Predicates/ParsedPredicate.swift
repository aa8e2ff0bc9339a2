// SPDX-License-Identifier: Apache-2.0

import CoreDataPredicate
import Foundation

/// A constant predicate that was parsed or made from a condition.
final class ParsedPredicate: NSPredicate, ConditionCarrier {
  private let core: PredicateCore
  init(_ condition: Condition) {
    core = PredicateCore(condition)
    super.init(value: false)
  }
  required init?(coder: NSCoder) { nil }

  var carriedCondition: Condition { core.condition }
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

/// A compound predicate that was parsed: it prints its format and is evaluated in one go.
final class ParsedCompoundPredicate: NSCompoundPredicate, ConditionCarrier {
  private let core: PredicateCore
  init(_ condition: Condition, _ type: LogicalType, _ members: [Condition]) {
    core = PredicateCore(condition)
    super.init(type: type, subpredicates: members.map(NSPredicate.make))
  }
  required init?(coder: NSCoder) { nil }

  var carriedCondition: Condition { core.condition }
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
