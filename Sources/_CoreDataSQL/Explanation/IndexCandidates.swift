// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// An index that could be added to the model to speed up a fetch.
///
/// To find out whether the index helps, the caller creates it in an empty copy of the store and compares the
/// query plans.
package struct IndexCandidate: Hashable, Sendable {
  package struct Element: Hashable, Sendable {
    package let property: String
    package let isAscending: Bool
  }
  package let entity: String
  package let elements: [Element]
  /// The table in `CREATE INDEX … ON table (columns)`.
  package let table: String
  /// The columns in `CREATE INDEX`, each with its collation and direction, separated by commas.
  package let columns: String
}

/// Finds the indexes that could speed up a fetch, from the columns in the fetch's condition and sort keys.
struct IndexCandidates {
  private let entity: EntityDefinition
  private let layout: EntityLayout
  private var equal: [String] = []
  private var ranged: [String] = []
  private var order: [IndexCandidate.Element] = []

  init(_ description: FetchDescription, layout: Layout) {
    entity = layout.model.entities[description.entity]
    self.layout = layout.entities[description.entity]
    for case .comparison(let comparison) in description.condition?.conjuncts ?? [] {
      add(comparison)
    }
    for key in description.order {
      // An index sorts by its leading columns, so the sort keys after an unsuitable one are of no use.
      guard case .standard = key.comparison, column(key.keyPath) != nil else { break }
      order.append(.init(property: key.keyPath, isAscending: key.ascending))
    }
  }

  /// All candidates, the most promising first.
  var all: [IndexCandidate] {
    let equals = equal.map { IndexCandidate.Element(property: $0, isAscending: true) }
    let compared = ranged.map { equals + [.init(property: $0, isAscending: true)] }
    let lists = (order.isEmpty ? [] : [equals + order]) + compared + [equals, order]
    var seen: Set<[IndexCandidate.Element]> = []
    return lists.compactMap { elements in
      var names: Set<String> = []
      let distinct = elements.filter { names.insert($0.property).inserted }
      if distinct.isEmpty || !seen.insert(distinct).inserted { return nil }
      let columns = distinct.compactMap { element in
        column(element.property).map {
          "\($0) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
        }
      }
      return IndexCandidate(
        entity: entity.name,
        elements: distinct,
        table: layout.table,
        columns: columns.joined(separator: ", ")
      )
    }
  }

  private func column(_ keyPath: String) -> String? {
    entity.slotByName[keyPath].flatMap { layout.column($0)?.singleName }
  }

  private mutating func add(_ comparison: Comparison) {
    guard comparison.modifier == .direct, comparison.options.isEmpty else { return }
    switch (comparison.left, comparison.right) {
    case (.keyPath(let key), .constant), (.keyPath(let key), .aggregate):
      add(key, comparison.relation)
    case (.constant, .keyPath(let key)):
      // `'text' IN key` searches inside the column's text.
      if comparison.relation != .in { add(key, comparison.relation) }
    default: break
    }
  }

  private mutating func add(_ key: String, _ relation: Relation) {
    guard column(key) != nil, !equal.contains(key) else { return }
    switch relation {
    case .equal, .in: equal.append(key)
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between, .beginsWith:
      if !ranged.contains(key) { ranged.append(key) }
    default: break
    }
  }
}

extension FetchPlanner {
  /// Returns the indexes that could speed up a fetch, the most promising first.
  package func indexCandidates(_ description: FetchDescription) -> [IndexCandidate] {
    IndexCandidates(description, layout: layout).all
  }
}
