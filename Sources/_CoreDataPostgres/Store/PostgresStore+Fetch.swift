// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

extension PostgresStore {
  package func fetch(_ description: FetchDescription) throws -> FetchResult {
    try pool.read(description.control) { try reads($0).fetch(description) }
  }

  package func divided(_ description: FetchDescription) throws -> DividedFetch {
    try MemoryStore(model: model, index: index).divided(description)
  }

  package func rows(for keys: [ObjectKey]) throws -> FetchedRows {
    try pool.read { try reads($0).rows(for: keys) }
  }

  package func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try pool.read { try reads($0).members(of: owners, slot: slot) }
  }

  package func memberRows(of owner: ObjectKey, slot: Int) throws -> FetchedRows? {
    try pool.read { try reads($0).memberRows(of: [owner], slot: slot) }
  }

  package func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    let related: RelatedRows? = try pool.read { try reads($0).related(to: owners, slot: slot) }
    return try related ?? relatedByMembers(to: owners, slot: slot)
  }

  func reads(_ connection: PostgresConnection) -> PostgresReads {
    PostgresReads(store: self, connection: connection)
  }
}

extension PostgresReads {
  func fetch(_ description: FetchDescription) throws -> FetchResult {
    guard store.model.entities.indices.contains(description.entity) else {
      throw StoreError(
        .invalidRequest,
        "the request's entity has the index \(description.entity), but the store's model has no entity with "
          + "this index. Use an entity of the coordinator's model"
      )
    }
    let isPlain = description.condition == nil && description.order.isEmpty
    if isPlain, case .rows = description.shape, description.limit == 0, description.offset == 0 {
      return .rows(
        try allRows(
          description.entity,
          includesSubentities: description.includesSubentities,
          description.control
        )
      )
    }
    let copy = try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
      try MemoryStore(
        ContentTransfer(
          of: PostgresMoment(store, connection),
          model: store.model,
          metadata: StoreMetadata(),
          lastNumbers: [:]
        ),
        index: store.index
      )
    }
    return try copy.fetch(description)
  }
}
#endif
