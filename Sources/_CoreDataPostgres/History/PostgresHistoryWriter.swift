// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Collects the changes of one transaction, and writes them at its end.
struct PostgresHistoryWriter {
  private let layout: Layout
  private var kinds: [Int64] = []
  private var entities: [Int64] = []
  private var rows: [Int64] = []
  private var properties: [String?] = []
  private var values: [Data?] = []

  init(_ layout: Layout) { self.layout = layout }

  private static let bundle =
    Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  private static let process = ProcessInfo.processInfo.processName
  /// The number of changes in the arrays of one statement.
  private static let block = 10_000

  // MARK: Changes

  /// Adds the insertions and updates of a save; `inserted` are the permanent keys of the new rows.
  mutating func record(_ batch: SaveBatch, _ inserted: [ObjectKey]) {
    inserts(inserted)
    for update in batch.updates { self.update(update.key, update.slots, toManys: update.toManys) }
  }

  mutating func inserts(_ keys: [ObjectKey]) { for key in keys { add(.insert, key) } }

  mutating func update(_ key: ObjectKey, _ slots: SlotSet, toManys: SlotSet = SlotSet()) {
    var all = slots
    all.formUnion(toManys)
    let entity = layout.model.entities[key.entity]
    add(.update, key, names: all.map { entity.properties[$0].name }.joined(separator: ","))
  }

  /// Adds deletions; `kept` are the rows of the objects whose entity preserves values.
  mutating func deletions(_ keys: [ObjectKey], kept: FetchedRows) {
    var found: [ObjectKey: (names: String, values: Data)] = [:]
    kept.forEach { key, chunk, row in
      let entity = layout.model.entities[key.entity]
      let slots = Self.keptSlots(entity).filter { !chunk.isNull(row, $0) }
      let names = slots.map { entity.properties[$0].name }.joined(separator: ",")
      found[key] = (names, CompositeRecord.data(slots.map { chunk.value(row, $0) }))
    }
    for key in keys {
      let kept = found[key]
      add(.delete, key, names: kept?.names, kept: kept?.values)
    }
  }

  /// Returns the slots of the attributes that the history preserves of a deleted object.
  static func keptSlots(_ entity: EntityDefinition) -> [Int] {
    entity.storedSlots.filter { slot in
      guard let attribute = entity.properties[slot].attribute else { return false }
      return attribute.preservesValueInHistory && attribute.type != .composite
    }
  }

  private mutating func add(
    _ kind: HistoryChange.Kind,
    _ key: ObjectKey,
    names: String? = nil,
    kept: Data? = nil
  ) {
    kinds.append(kind.rawValue)
    entities.append(layout.entities[key.entity].number)
    rows.append(key.number)
    properties.append(names)
    values.append(kept)
  }

  // MARK: Writing

  /// Sends the statements that write the transaction; `number` is called with its number.
  ///
  /// Nothing is sent for a transaction without changes.
  func write(
    _ author: HistoryAuthor,
    _ pipeline: PostgresPipeline,
    number: @escaping (Int64) -> Void
  ) throws {
    if kinds.isEmpty { return }
    try pipeline.send(PostgresHistoryTables.advance)
    var texts = PostgresFields()
    for text in [author.author, author.contextName, Self.bundle, Self.process] {
      if let text { texts.append(text) } else { texts.appendNull(PostgresType.text) }
    }
    try pipeline.send(PostgresHistoryTables.insertTransaction, texts) { number($0.integer(0, 0)) }
    for start in stride(from: 0, to: kinds.count, by: Self.block) {
      let range = start..<min(start + Self.block, kinds.count)
      var fields = PostgresFields()
      fields.append(Array(kinds[range]))
      fields.append(Array(entities[range]))
      fields.append(Array(rows[range]))
      fields.append(properties[range].map { $0.map { Data($0.utf8) } }, of: PostgresType.text)
      fields.append(Array(values[range]), of: PostgresType.bytea)
      try pipeline.send(PostgresHistoryTables.insertChanges, fields)
    }
  }
}
#endif
