// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataSQL
import _CoreDataStore

extension SQLiteStore {
  /// How the store would answer `description`, and which index would help.
  ///
  /// Indexes are tried on an empty copy of the schema, so the file stays as it is, and the answer does
  /// not depend on the rows.
  /// - Throws: `StoreError.invalidRequest` for a key path that the entity does not have.
  package func explain(_ description: FetchDescription) throws -> FetchExplanation {
    let planner = planner.steppingOnly
    var stored = description
    var divided: DividedFetch?
    let plan: FetchPlan
    do {
      plan = try planner.plan(description)
    } catch let error as StoreError where error.code == .unsayable {
      let parts = try planner.divided(description)
      divided = parts
      stored = parts.stored
      plan = try planner.plan(stored)
    }
    let text = plan.statement.text
    let queryPlan = try pool.read { try $0.queryPlan(of: text) }
    let advice = try advice(for: stored, text, queryPlan)
    return FetchExplanation(
      sql: text,
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
    _ text: String,
    _ current: QueryPlan
  ) throws -> (candidate: IndexCandidate, plan: QueryPlan)? {
    if current.cost == 0 { return nil }
    let schema = try pool.read { connection in
      try connection.texts(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
          + "AND sql NOT LIKE 'CREATE VIRTUAL%' AND type IN ('table', 'index') ORDER BY type DESC"
      )
    }
    let copy = try Connection(SQLiteStoreOptions(path: ""), isReader: false)
    for statement in schema { try copy.execute(statement) }
    var best: (candidate: IndexCandidate, plan: QueryPlan)?
    for candidate in planner.indexCandidates(description) {
      try copy.execute("CREATE INDEX CDTried ON \(candidate.table) (\(candidate.columns))")
      let plan = try copy.queryPlan(of: text)
      try copy.execute("DROP INDEX CDTried")
      if plan.cost < (best?.plan ?? current).cost { best = (candidate, plan) }
    }
    return best
  }
}

extension Connection {
  /// What the engine would do for a statement.
  func queryPlan(of text: String) throws -> QueryPlan {
    var depths: [Int64: Int] = [0: -1]
    var steps: [QueryPlan.Step] = []
    try rows(of: "EXPLAIN QUERY PLAN " + text) { row in
      let depth = (depths[sqlite3_column_int64(row, 1)] ?? -1) + 1
      depths[sqlite3_column_int64(row, 0)] = depth
      steps.append(.init(depth: depth, text: textColumn(row, 3) ?? ""))
    }
    return QueryPlan(steps: steps)
  }
}
