// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate

/// The key paths that a condition or an order reads from the fetched objects.
///
/// The key paths that blocks read cannot be determined and are not included.
struct ReadPaths {
  private(set) var paths: Set<[String]> = []

  mutating func add(_ key: SortKey) { add(Self.keys(key.keyPath)) }

  mutating func add(_ condition: Condition) { add(condition, [:]) }

  mutating func add(_ term: Term) { add(path(term, [:])) }

  private mutating func add(_ keys: [String]) {
    if !keys.isEmpty { paths.insert(keys) }
  }

  /// Returns the keys of the path without collection operators.
  private static func keys(_ path: String) -> [String] {
    path.split(separator: ".").map(String.init).filter { !$0.hasPrefix("@") && $0 != "self" }
  }

  private mutating func add(_ condition: Condition, _ variables: [String: [String]]) {
    switch condition {
    case .constant, .opaque: break
    case .and(let parts), .or(let parts): for part in parts { add(part, variables) }
    case .not(let part): add(part, variables)
    case .comparison(let comparison):
      add(path(comparison.left, variables))
      add(path(comparison.right, variables))
    }
  }

  /// Returns the key path of the term's value, and adds the other key paths that the term reads.
  private mutating func path(_ term: Term, _ variables: [String: [String]]) -> [String] {
    switch term {
    case .keyPath(let path): return Self.keys(path)
    case .keyPathOf(let base, let path):
      let start = self.path(base, variables)
      if case .variable(let name) = base, variables[name] == nil { return [] }
      return start + Self.keys(path)
    case .variable(let name): return variables[name] ?? []
    case .subquery(let source, let name, let condition):
      let start = path(source, variables)
      var inner = variables
      inner[name] = start
      add(condition, inner)
      return start
    case .function(_, let arguments):
      for argument in arguments { add(path(argument, variables)) }
    case .message(_, let receiver, let arguments):
      for part in [receiver] + arguments { add(path(part, variables)) }
    case .aggregate(let members): for member in members { add(path(member, variables)) }
    case .setOperation(_, let left, let right):
      add(path(left, variables))
      add(path(right, variables))
    case .ternary(let condition, let yes, let no):
      add(condition, variables)
      add(path(yes, variables))
      add(path(no, variables))
    case .assignment(_, let term): add(path(term, variables))
    case .constant, .evaluatedObject, .anyKey, .symbolicIndex, .fetch, .opaque, .unusable:
      break
    }
    return []
  }
}
