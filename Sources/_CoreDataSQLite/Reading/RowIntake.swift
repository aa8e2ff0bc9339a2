// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Takes the rows of one statement, one after the other, into chunks; or their keys alone.
final class RowIntake {
  private let reader: RowReader
  private let source: RowSource
  private let givesKeys: Bool
  private let control: FetchControl?
  private let capacity: Int
  /// Keys that were there before the first row.
  private let known: Int
  @exclusivity(unchecked) private var rows: FetchedRows
  /// By entity index minus the source's: the chunk that takes its next row; each stays in `chunks`
  /// while `current` borrows it.
  @exclusivity(unchecked) private var chunks: [RowChunk?]
  @exclusivity(unchecked) private var fields: [UnsafeMutableBufferPointer<RowSource.Field>?]
  @exclusivity(unchecked) private var current: Unmanaged<RowChunk>?
  @exclusivity(unchecked) private var currentFields: UnsafeBufferPointer<RowSource.Field>
  /// Which of the source's entities the rows are of, its number in the file, and what their keys share.
  @exclusivity(unchecked) private var member = 0
  @exclusivity(unchecked) private var entityNumber: Int64?
  @exclusivity(unchecked) private var base: UInt64
  /// The first row of the current stretch of one entity.
  @exclusivity(unchecked) private var first = 0

  /// Adds the rows of `source` to `rows`; the first chunk has room for `capacity`.
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
    known = rows.keys.count
    base = reader.base(source.entity)
    let members = givesKeys ? 0 : source.fields.count
    chunks = Array(repeating: nil, count: members)
    fields = Array(repeating: nil, count: members)
    currentFields = UnsafeBufferPointer(start: nil, count: 0)
  }

  /// Takes the keys of `source` alone.
  convenience init(_ reader: RowReader, keysOf source: RowSource, control: FetchControl?) {
    self.init(reader, source, FetchedRows(), capacity: 0, control: control, givesKeys: true)
  }

  deinit {
    for case let fields? in fields { fields.deallocate() }
  }

  /// - Throws: `StoreError.corrupt` for numbers that no row can have.
  func take(_ columns: SteppedColumns) throws {
    if givesKeys { try takeKey(columns) } else { try takeRow(columns) }
  }

  /// - Throws: `StoreError.corrupt` for numbers that no row can have.
  func take(_ columns: CollectedColumns) throws {
    if givesKeys { try takeKey(columns) } else { try takeRow(columns) }
  }

  /// What came, behind what was there before.
  func finish() -> FetchedRows {
    endStretch()
    control?.reach(rows.keys.count - known)
    defer { rows = FetchedRows() }
    return rows
  }

  // MARK: One row

  @inline(__always)
  private func takeKey(_ columns: some ResultColumns) throws {
    if source.hasEntityColumn {
      // Neighbours mostly are of one entity, which is looked up once.
      let number = columns.integer(1)
      if number != entityNumber { try turn(toNumber: number) }
    }
    rows.keys.append(ObjectKey(base: base, number: try reader.number(columns)))
  }

  @inline(__always)
  private func takeRow(_ columns: some ResultColumns) throws {
    let number = try reader.number(columns)
    if source.hasEntityColumn {
      let entity = columns.integer(2)
      if entity != entityNumber { try turn(toNumber: entity) }
    }
    if current?._withUnsafeGuaranteedRef({ $0.isFull }) ?? true { openChunk() }
    // The chunk is held in `chunks`; counting no reference here saves a tenth of the row's time.
    try current?._withUnsafeGuaranteedRef { _ = try reader.fill($0, currentFields, columns) }
    rows.keys.append(ObjectKey(base: base, number: number))
  }

  // MARK: Chunks

  /// Goes on with rows of the entity that has the number in the file.
  private func turn(toNumber number: Int64) throws {
    let next = try reader.offset(ofNumber: number, in: source)
    entityNumber = number
    base = reader.base(source.entity + next)
    if givesKeys { return }
    endStretch()
    member = next
    currentFields = UnsafeBufferPointer(madeFields(of: next))
    current = chunks[next].map(Unmanaged.passUnretained)
    first = chunks[next]?.count ?? 0
  }

  /// The rows since the last turn become a run.
  private func endStretch() {
    guard let chunk = givesKeys ? nil : chunks[member], chunk.count > first else { return }
    rows.runs.append(FetchedRows.Run(chunk: chunk, first: first, count: chunk.count - first))
    first = chunk.count
  }

  /// The first chunk of an entity, or the next after a full one.
  private func openChunk() {
    endStretch()
    let next: RowChunk
    if let full = chunks[member] {
      next = reader.successor(of: full)
      control?.reach(rows.keys.count - known)
    } else {
      next = reader.firstChunk(source.entity + member, capacity)
      currentFields = UnsafeBufferPointer(madeFields(of: member))
    }
    chunks[member] = next
    current = Unmanaged.passUnretained(next)
    first = 0
  }

  /// A copy that stays in its place, so that a row need not hold the array.
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
