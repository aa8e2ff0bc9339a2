// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Term: Hashable {
  /// Whether two terms have the same structure and content.
  ///
  /// A constant array equals an aggregate of the same constants, because both have the same format
  /// and value.
  package static func == (left: Term, right: Term) -> Bool {
    switch (left, right) {
    case (.constant(let a), .constant(let b)): return a == b
    case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): return true
    case (.keyPath(let a), .keyPath(let b)), (.variable(let a), .variable(let b)): return a == b
    case (.keyPathOf(let a, let path), .keyPathOf(let b, let other)): return path == other && a == b
    case (.assignment(let name, let a), .assignment(let other, let b)):
      return name == other && a == b
    case (.function(let function, let a), .function(let other, let b)):
      return function == other && a == b
    case (.message(let name, let receiver, let a), .message(let other, let target, let b)):
      return name == other && receiver == target && a == b
    case (.aggregate(let a), .aggregate(let b)): return a == b
    case (.aggregate(let terms), .constant(let constant)),
      (.constant(let constant), .aggregate(let terms)):
      guard let members = constant.arrayMembers else { return false }
      return members.count == terms.count
        && zip(members, terms).allSatisfy { Term.constant(Constant($0)) == $1 }
    case (.subquery(let a, let name, let test), .subquery(let b, let other, let otherTest)):
      return name == other && a == b && test == otherTest
    case (.setOperation(let sign, let a, let b), .setOperation(let other, let c, let d)):
      return sign == other && a == c && b == d
    case (.ternary(let test, let a, let b), .ternary(let other, let c, let d)):
      return test == other && a == c && b == d
    case (.symbolicIndex(let a), .symbolicIndex(let b)): return a == b
    case (.fetch(let a, let b, let isCount), .fetch(let c, let d, let isOtherCount)):
      return isCount == isOtherCount && a == c && b == d
    case (.opaque(let a), .opaque(let b)): return a == b
    case (.unusable(let a), .unusable(let b)): return a == b
    default: return false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .constant(let constant):
      if let members = constant.arrayMembers {
        hasher.combine(members.count)
        for member in members { hasher.combine(Term.constant(Constant(member))) }
      } else {
        hasher.combine(constant)
      }
    case .aggregate(let members): hasher.combine(members)
    case .evaluatedObject: hasher.combine(1)
    case .anyKey: hasher.combine(2)
    case .keyPath(let path): hasher.combine(path)
    case .variable(let name): hasher.combine(name)
    case .keyPathOf(let base, let path):
      hasher.combine(base)
      hasher.combine(path)
    case .assignment(let name, let value):
      hasher.combine(name)
      hasher.combine(value)
    case .function(let function, let arguments):
      hasher.combine(function)
      hasher.combine(arguments)
    case .message(let selector, let receiver, let arguments):
      hasher.combine(selector)
      hasher.combine(receiver)
      hasher.combine(arguments)
    case .subquery(let collection, _, let condition):
      hasher.combine(collection)
      hasher.combine(condition)
    case .setOperation(let operation, let left, let right):
      hasher.combine(operation)
      hasher.combine(left)
      hasher.combine(right)
    case .ternary(let condition, let yes, let no):
      hasher.combine(condition)
      hasher.combine(yes)
      hasher.combine(no)
    case .symbolicIndex(let index): hasher.combine(index)
    case .fetch(let request, let context, let countOnly):
      hasher.combine(request)
      hasher.combine(context)
      hasher.combine(countOnly)
    case .opaque(let opaque): hasher.combine(opaque)
    case .unusable(let reason): hasher.combine(reason)
    }
  }
}

extension Constant {
  fileprivate var arrayMembers: [Value]? {
    guard case .collection(let collection) = value, collection.kind == .array else { return nil }
    return collection.members
  }
}
