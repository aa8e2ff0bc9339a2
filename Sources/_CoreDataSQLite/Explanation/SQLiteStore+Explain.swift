// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataSQL
import _CoreDataStore

extension SQLiteStore {
  /// Returns how the store would perform the fetch, and which index would improve the plan.
  ///
  /// Indexes are tried in an empty copy of the schema, so the file does not change.
  /// - Throws: `StoreError.invalidRequest` if the fetch is invalid for the model; errors of the engine.
  package func explain(_ description: FetchDescription) throws -> FetchExplanation {
    let planner = planner.steppingOnly
    var stored = description
    var divided: DividedFetch?
    let plan: FetchPlan
    do {
      plan = try planner.plan(description)
    } catch let error as StoreError where error.code == .inexpressible {
      let parts = try planner.divided(description)
      divided = parts
      stored = parts.stored
      plan = try planner.plan(stored)
    }
    let queryPlan = try pool.read { try $0.queryPlan(of: plan.statement) }
    let advice = try advice(for: stored, plan.statement, queryPlan)
    return FetchExplanation(
      sql: plan.statement.text,
      values: plan.statement.bindings.map(\.literal),
      plan: queryPlan,
      sortsInMemory: plan.sorter != nil,
      rest: divided?.rest,
      restOrder: divided?.order ?? [],
      advice: advice?.candidate,
      advisedPlan: advice?.plan
    )
  }

  private func advice(
    for description: FetchDescription,
    _ statement: Statement,
    _ current: QueryPlan
  ) throws -> (candidate: IndexCandidate, plan: QueryPlan)? {
    if current.cost == 0 { return nil }
    let definitions = try pool.read { try StoreCatalogue($0).definitions() }
    let copy = try Connection(SQLiteStoreOptions(path: ""), isReader: false)
    for definition in definitions { try copy.execute(definition) }
    var best: (candidate: IndexCandidate, plan: QueryPlan)?
    for candidate in planner.indexCandidates(description) {
      try copy.execute(
        "CREATE INDEX CDTried ON \(name: candidate.table) (\(name: candidate.columns))"
      )
      let plan = try copy.queryPlan(of: statement)
      try copy.execute("DROP INDEX CDTried")
      if plan.cost < (best?.plan ?? current).cost { best = (candidate, plan) }
    }
    return best
  }
}

extension Connection {
  func queryPlan(of statement: Statement) throws -> QueryPlan {
    var depths: [Int64: Int] = [0: -1]
    var steps: [QueryPlan.Step] = []
    // The values do not change the plan.
    try rows(of: Statement(text: "EXPLAIN QUERY PLAN " + statement.text)) { row in
      let depth = (depths[sqlite3_column_int64(row, 1)] ?? -1) + 1
      depths[sqlite3_column_int64(row, 0)] = depth
      steps.append(.init(depth: depth, text: textColumn(row, 3) ?? ""))
    }
    return QueryPlan(steps: steps)
  }
}
