// SPDX-License-Identifier: Apache-2.0

/// The number and size of a table's rows, estimated from short ranges of rows across the table's keys.
///
/// The keys are divided into slices of equal width, and the first rows of each slice are measured. The content of
/// large blobs is not read, only its length. If the file is smaller or much larger than the sample suggests, the
/// lengths of all blobs are added up, because a few rows may contain most of the bytes.
package struct TableSample {
  /// The averages of one column's values.
  package struct Column {
    /// The average number of bytes of the column's values; a missing value counts as 0 bytes.
    package var bytes: Double
    /// The fraction of rows with a value.
    package var share: Double
  }

  /// The number of rows; an estimate if the number is not known.
  package private(set) var rows = 0.0
  /// The estimated number of bytes of all rows; index entries do not count.
  package private(set) var bytes = 0.0
  /// The averages of the columns, by column name; empty if the table has no rows.
  package private(set) var columns: [String: Column] = [:]
  /// The number of bytes in leaf pages; SQLite stores most of a large value in overflow pages.
  var leafBytes: Double { min(bytes, rows * Self.largestLeafRow) }

  private static let slices = 100
  private static let rowsOfSlice = 100
  /// The number of bytes of a row apart from its values and the sizes of its values.
  private static let rowHeader = 8.0
  /// The assumed maximum number of bytes of a row in a leaf page; the rest is in overflow pages.
  private static let largestLeafRow = 1_000.0
  /// If the file has more than this multiple of the estimated bytes, all blobs are measured.
  private static let suspicion = 1.5
  /// Tables with more bytes than this in their leaf pages are not read as a whole.
  private static let largestScan = 300e6

  /// Creates the sample of a table without rows.
  init() {}

  /// Measures the table `name`, which must exist in `file`.
  ///
  /// `count` is the number of rows; if it is nil, the number is estimated from the keys.
  /// - Throws: `StoreError`.
  /// - Complexity: reads at most 10,000 rows. If the size of the file contradicts the sample, also reads the
  ///   whole table without the content of large blobs.
  package init(_ name: String, _ file: StoreFile, count: Int? = nil) throws {
    let limits = try file.rows("SELECT MIN(rowid), MAX(rowid) FROM \(name)").first
    guard case .integer(let first)? = limits?[0], case .integer(let last)? = limits?[1] else {
      return
    }
    let info = try file.rows("SELECT name, type FROM pragma_table_info('\(name)')")
      .map { (name: $0[0].text ?? "", type: $0[1].text ?? "") }
    let sums = info.indices.map { ", SUM(L\($0)), SUM(L\($0) > 0)" }.joined()
    let lengths = info.enumerated().map { ", \(Self.length(of: $1.name)) AS L\($0)" }.joined()
    let statement =
      "SELECT COUNT(*), MAX(R)\(sums) FROM (SELECT rowid AS R\(lengths) FROM \(name) "
      + "WHERE rowid >= ? AND rowid <= ? ORDER BY rowid LIMIT \(Self.rowsOfSlice))"
    var totals = [Double](repeating: 0, count: info.count * 2)
    let span = Double(last) - Double(first) + 1
    let width = max(Double(Self.rowsOfSlice), (span / Double(Self.slices)).rounded(.up))
    var isComplete = true
    var start = first
    while start <= last {
      let end = Double(last) - Double(start) < width ? last : start + Int64(width) - 1
      let row = try file.rows(statement, [.integer(start), .integer(end)])[0]
      let found = Double(row[0].whole)
      if found > 0 {
        // If a slice has more rows than were read, the unread part is assumed to resemble the part read.
        let isCut = found == Double(Self.rowsOfSlice) && row[1].whole < end
        let scale =
          isCut ? (Double(end) - Double(start) + 1) / (Double(row[1].whole) - Double(start) + 1) : 1
        isComplete = isComplete && !isCut
        rows += found * scale
        for index in totals.indices { totals[index] += Double(row[index + 2].whole) * scale }
      }
      if end == last { break }
      start = end + 1
    }
    if rows == 0 { return }
    if let count, count > 0, !isComplete {
      for index in totals.indices { totals[index] *= Double(count) / rows }
      rows = Double(count)
    }
    for (index, column) in info.enumerated() {
      columns[column.name] = Column(
        bytes: totals[index * 2] / rows,
        share: totals[index * 2 + 1] / rows
      )
    }
    addUp()
    if isComplete { return }
    let blobs = info.filter { $0.type.uppercased() == "BLOB" }.map(\.name)
    try compare(with: file, name, blobs: blobs)
  }

  /// Corrects `bytes` with the size of the file; `blobs` names the columns that may have large values.
  private mutating func compare(with file: StoreFile, _ name: String, blobs: [String]) throws {
    let limit = try Self.usedBytes(file)
    let isDoubtful = bytes > limit || bytes * Self.suspicion < limit
    if !blobs.isEmpty, isDoubtful, leafBytes < Self.largestScan {
      let sums = blobs.map { "SUM(length(\($0)))" }.joined(separator: ", ")
      let lengths = try file.rows("SELECT \(sums) FROM \(name)")[0]
      for (blob, length) in zip(blobs, lengths) {
        columns[blob]?.bytes = Double(length.whole) / rows
      }
      addUp()
    }
    bytes = min(bytes, limit)
  }

  private mutating func addUp() {
    let values = columns.values.reduce(0) { $0 + $1.bytes }
    bytes = rows * (values + Double(columns.count) + Self.rowHeader)
  }

  /// Returns the number of bytes of the file's pages that are in use.
  private static func usedBytes(_ file: StoreFile) throws -> Double {
    let pages = try file.integer("PRAGMA page_count") ?? 0
    let free = try file.integer("PRAGMA freelist_count") ?? 0
    return Double(pages - free) * Double(try file.integer("PRAGMA page_size") ?? 0)
  }

  /// Returns an SQL expression for the number of bytes of a column's value; 0 for NULL.
  ///
  /// SQLite computes the length of a blob without reading the blob. The length of an integer is assumed.
  private static func length(of column: String) -> String {
    let name =
      "\""
      + column.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
    return "CASE typeof(\(name)) WHEN 'blob' THEN length(\(name)) "
      + "WHEN 'text' THEN length(CAST(\(name) AS BLOB)) WHEN 'integer' THEN 3 WHEN 'real' THEN 8 "
      + "ELSE 0 END"
  }
}
