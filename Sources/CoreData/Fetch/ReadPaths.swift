// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate

/// The key paths that conditions, terms and sort keys read from the fetched objects.
///
/// The key paths that blocks read cannot be determined and are not included.
struct ReadPaths {
  private(set) var paths: Set<[String]> = []

  mutating func add(_ key: SortKey) { add(keyPath: key.keyPath) }

  mutating func add(keyPath: String) { add(Self.keys(keyPath)) }

  mutating func add(_ condition: Condition) { add(condition, [:]) }

  mutating func add(_ term: Term) { add(path(term, [:])) }

  private mutating func add(_ keys: [String]) {
    if !keys.isEmpty { paths.insert(keys) }
  }

  /// Returns the keys of the path, without collection operators and without keys that stand for the object
  /// itself.
  private static func keys(_ path: String) -> [String] {
    path.split(separator: ".").map(String.init)
      .filter { !$0.hasPrefix("@") && !ManagedKeys.isSelf($0) }
  }

  private mutating func add(_ condition: Condition, _ variables: [String: [String]]) {
    condition.forEachChild { add($0, variables) }
  }

  private mutating func add(_ node: TreeNode, _ variables: [String: [String]]) {
    switch node {
    case .term(let term): add(path(term, variables))
    case .condition(let condition): add(condition, variables)
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
    // The key paths of a fetch expression start at the objects of its own request.
    case .fetch: return []
    default:
      term.forEachChild { add($0, variables) }
      return []
    }
  }
}
