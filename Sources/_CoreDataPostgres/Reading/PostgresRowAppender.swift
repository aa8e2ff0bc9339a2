// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Receives the rows of one statement and stores them in chunks.
final class PostgresRowAppender {
  private let reader: PostgresRowReader
  private let source: RowSource
  private let control: FetchControl?
  /// The number of rows for which the first chunk of each entity has room.
  private let capacity: Int
  @exclusivity(unchecked) private var rows: FetchedRows
  @exclusivity(unchecked) private var appended = 0
  /// The chunks to which rows are appended, one for each entity of the source; indexed like `source.fields`.
  ///
  /// The array retains the chunk to which `current` refers, because `current` does not retain it.
  @exclusivity(unchecked) private var chunks: [RowChunk?]
  @exclusivity(unchecked) private var current: Unmanaged<RowChunk>?
  /// The fields of each entity of the source, at a fixed address, so that no array is retained for each row.
  private let fields: [UnsafeMutableBufferPointer<RowSource.Field>]
  @exclusivity(unchecked) private var currentFields: UnsafeBufferPointer<RowSource.Field>
  /// The current entity: its index in `source.fields`, and its entity number.
  @exclusivity(unchecked) private var member = 0
  @exclusivity(unchecked) private var entityNumber: Int64?
  /// The first row of the current run of rows of one entity.
  @exclusivity(unchecked) private var first = 0

  /// Creates an appender that appends rows of `source` to `initial`.
  init(
    _ reader: PostgresRowReader,
    _ source: RowSource,
    after initial: FetchedRows = FetchedRows(),
    capacity: Int,
    control: FetchControl?
  ) {
    self.reader = reader
    self.source = source
    rows = initial
    self.capacity = capacity
    self.control = control
    chunks = Array(repeating: nil, count: source.fields.count)
    fields = source.fields.map { fields in
      let copy = UnsafeMutableBufferPointer<RowSource.Field>.allocate(capacity: fields.count)
      _ = copy.initialize(from: fields)
      return copy
    }
    currentFields = UnsafeBufferPointer(fields[0])
  }

  deinit {
    for fields in fields { fields.deallocate() }
  }

  /// Stores a row.
  ///
  /// - Throws: `StoreError.corrupt` for an invalid primary key or entity number, and for a value that does not
  ///   have the form of its type; `.cancelled`, which is noticed from time to time.
  @inline(__always)
  func append(_ row: PostgresRow) throws {
    if source.hasEntityColumn {
      // Consecutive rows usually have the same entity, so the entity is only looked up if its number changes.
      let number = row.integer(2)
      if number != entityNumber { try switchEntity(toNumber: number) }
    }
    let entity = source.entity + member
    let number = try reader.number(row.integer(0), entity)
    if current?._withUnsafeGuaranteedRef({ $0.isFull }) ?? true { try openChunk() }
    // `chunks` retains the chunk.
    try current?._withUnsafeGuaranteedRef { try reader.fill($0, currentFields, from: row) }
    rows.keys.append(ObjectKey(base: reader.base(entity), number: number))
    appended += 1
  }

  /// Returns the initial rows followed by the rows of the statement.
  func finish() -> FetchedRows {
    endRun()
    control?.reportRows(appended)
    defer { rows = FetchedRows() }
    return rows
  }

  // MARK: Chunks

  private func switchEntity(toNumber number: Int64) throws {
    let next = try reader.offset(ofNumber: number, source)
    entityNumber = number
    endRun()
    member = next
    currentFields = UnsafeBufferPointer(fields[next])
    current = chunks[next].map(Unmanaged.passUnretained)
    first = chunks[next]?.count ?? 0
  }

  private func endRun() {
    guard let chunk = chunks[member], chunk.count > first else { return }
    rows.runs.append(FetchedRows.Run(chunk: chunk, first: first, count: chunk.count - first))
    first = chunk.count
  }

  private func openChunk() throws {
    try control?.check()
    endRun()
    if chunks[member] != nil { control?.reportRows(appended) }
    // The number of rows that follow is not known: a chunk is as large as what there is.
    let next = reader.chunk(
      of: source.entity + member,
      after: chunks[member],
      capacity: max(capacity, appended)
    )
    chunks[member] = next
    current = Unmanaged.passUnretained(next)
    first = 0
  }
}
#endif
