// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Receives the rows of one statement and stores them in chunks, or stores only their keys.
final class RowAppender {
  private let reader: RowReader
  private let source: RowSource
  private let givesKeys: Bool
  private let control: FetchControl?
  private let capacity: Int
  /// The number of keys in `rows` before this appender appends its first row.
  private let initialCount: Int
  @exclusivity(unchecked) private var rows: FetchedRows
  /// The chunks to which rows are appended, one for each entity of the source; indexed like `source.fields`.
  ///
  /// The array retains the chunk to which `current` refers, because `current` does not retain it.
  @exclusivity(unchecked) private var chunks: [RowChunk?]
  @exclusivity(unchecked) private var fields: [UnsafeMutableBufferPointer<RowSource.Field>?]
  @exclusivity(unchecked) private var current: Unmanaged<RowChunk>?
  @exclusivity(unchecked) private var currentFields: UnsafeBufferPointer<RowSource.Field>
  /// The current entity: its index in `source.fields`, its entity number, and the bits that all keys of its
  /// rows have in common.
  @exclusivity(unchecked) private var member = 0
  @exclusivity(unchecked) private var entityNumber: Int64?
  @exclusivity(unchecked) private var base: UInt64
  /// The first row of the current run of rows of one entity.
  @exclusivity(unchecked) private var first = 0

  /// Creates an appender that appends the rows of `source` to `rows`.
  ///
  /// The first chunk of each entity has room for `capacity` rows.
  init(
    _ reader: RowReader,
    _ source: RowSource,
    _ rows: FetchedRows,
    capacity: Int,
    control: FetchControl?,
    givesKeys: Bool = false
  ) {
    self.reader = reader
    self.source = source
    self.rows = rows
    self.capacity = capacity
    self.control = control
    self.givesKeys = givesKeys
    initialCount = rows.keys.count
    base = reader.base(source.entity)
    let members = givesKeys ? 0 : source.fields.count
    chunks = Array(repeating: nil, count: members)
    fields = Array(repeating: nil, count: members)
    currentFields = UnsafeBufferPointer(start: nil, count: 0)
  }

  /// Creates an appender that stores only the keys of the rows of `source`.
  convenience init(_ reader: RowReader, keysOf source: RowSource, control: FetchControl?) {
    self.init(reader, source, FetchedRows(), capacity: 0, control: control, givesKeys: true)
  }

  deinit {
    for case let fields? in fields { fields.deallocate() }
  }

  /// Stores a row that a statement has stepped to.
  ///
  /// - Throws: `StoreError.corrupt` for an invalid primary key or entity number; `.cannotRead` for a large
  ///   value whose file cannot be read.
  func append(_ columns: SteppedColumns) throws {
    if givesKeys { try appendKey(columns) } else { try appendRow(columns) }
  }

  /// Stores a row that SQLite has passed to the aggregate.
  ///
  /// - Throws: the same errors as the other `append(_:)`.
  func append(_ columns: CollectedColumns) throws {
    if givesKeys { try appendKey(columns) } else { try appendRow(columns) }
  }

  /// Returns the initial rows followed by the rows of the statement.
  func finish() -> FetchedRows {
    endRun()
    control?.reportRows(rows.keys.count - initialCount)
    defer { rows = FetchedRows() }
    return rows
  }

  // MARK: One row

  @inline(__always)
  private func appendKey(_ columns: some ResultColumns) throws {
    if source.hasEntityColumn {
      // Consecutive rows usually have the same entity, so the entity is only looked up if its number changes.
      let number = columns.integer(1)
      if number != entityNumber { try switchEntity(toNumber: number) }
    }
    let number = try reader.number(columns, of: source.entity)
    rows.keys.append(ObjectKey(base: base, number: number))
  }

  @inline(__always)
  private func appendRow(_ columns: some ResultColumns) throws {
    let number = try reader.number(columns, of: source.entity)
    if source.hasEntityColumn {
      let entity = columns.integer(2)
      if entity != entityNumber { try switchEntity(toNumber: entity) }
    }
    if current?._withUnsafeGuaranteedRef({ $0.isFull }) ?? true { openChunk() }
    // `chunks` retains the chunk. Avoiding another retain saves a tenth of the time for a row.
    try current?._withUnsafeGuaranteedRef { _ = try reader.fill($0, currentFields, columns) }
    rows.keys.append(ObjectKey(base: base, number: number))
  }

  // MARK: Chunks

  private func switchEntity(toNumber number: Int64) throws {
    let next = try reader.offset(ofNumber: number, in: source)
    entityNumber = number
    base = reader.base(source.entity + next)
    if givesKeys { return }
    endRun()
    member = next
    currentFields = UnsafeBufferPointer(madeFields(of: next))
    current = chunks[next].map(Unmanaged.passUnretained)
    first = chunks[next]?.count ?? 0
  }

  private func endRun() {
    guard let chunk = givesKeys ? nil : chunks[member], chunk.count > first else { return }
    rows.runs.append(FetchedRows.Run(chunk: chunk, first: first, count: chunk.count - first))
    first = chunk.count
  }

  private func openChunk() {
    endRun()
    let next: RowChunk
    if let full = chunks[member] {
      next = reader.successor(of: full)
      control?.reportRows(rows.keys.count - initialCount)
    } else {
      next = reader.firstChunk(source.entity + member, capacity)
      currentFields = UnsafeBufferPointer(madeFields(of: member))
    }
    chunks[member] = next
    current = Unmanaged.passUnretained(next)
    first = 0
  }

  /// Returns a copy of the fields at a fixed address, so that the array need not be retained for each row.
  private func madeFields(of member: Int) -> UnsafeMutableBufferPointer<RowSource.Field> {
    if let made = fields[member] { return made }
    let made = UnsafeMutableBufferPointer<RowSource.Field>.allocate(
      capacity: source.fields[member].count
    )
    _ = made.initialize(from: source.fields[member])
    fields[member] = made
    return made
  }
}
