// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Writes rows one by one in any format, keeping at most a sample of them in memory.
///
///     var writer = RowWriter(.csv, columns: ["name"], width: nil) { print($0, terminator: "") }
///     writer.write([.text("Ann")])
///     writer.finish()
package struct RowWriter {
  private let format: OutputFormat
  private let columns: [String]
  private let width: Int?
  private let options: JSONText.Options
  private let remedy: String?
  private let sink: (String) -> Void
  private var sample: [[Value]] = []
  private var table: TextTable?
  /// The number of rows written so far.
  package private(set) var count = 0

  /// The number of rows that determine the column widths of a table.
  private static let sampleSize = 1000

  /// Creates a writer that passes the output, including the line breaks, to `sink` in parts.
  ///
  /// `remedy` describes the option that selects columns. If it is not nil, a table omits the columns that do
  /// not fit `width`, and the head then shows `remedy`. If it is nil, a table contains all columns, and
  /// truncates their values if necessary.
  package init(
    _ format: OutputFormat,
    columns: [String],
    width: Int?,
    options: JSONText.Options = JSONText.Options(),
    remedy: String? = nil,
    sink: @escaping (String) -> Void
  ) {
    self.format = format
    self.columns = columns
    self.width = width
    self.options = options
    self.remedy = remedy
    self.sink = sink
    switch format {
    case .csv: sink(CSVText.line(columns.map(Value.text)) + "\n")
    case .json: sink("[")
    case .table, .ndjson: break
    }
  }

  /// Writes a row; `row` contains a value for each column.
  package mutating func write(_ row: [Value]) {
    count += 1
    switch format {
    case .csv: sink(CSVText.line(row, options) + "\n")
    case .ndjson: sink(object(row) + "\n")
    case .json: sink((count == 1 ? "\n" : ",\n") + "  " + object(row))
    case .table:
      if let table { return sink(table.line(row) + "\n") }
      sample.append(row)
      if sample.count == Self.sampleSize { writeSample() }
    }
  }

  /// Writes the remaining rows and the end of the output.
  ///
  /// No row may be written after this call.
  package mutating func finish() {
    switch format {
    case .json: sink(count == 0 ? "]\n" : "\n]\n")
    case .table where table == nil: writeSample()
    default: break
    }
  }

  private func object(_ row: [Value]) -> String {
    JSONText.object(Array(zip(columns, row)), options)
  }

  private mutating func writeSample() {
    let table = TextTable(columns: columns, sample: sample, width: width, remedy: remedy)
    for line in table.head { sink(line + "\n") }
    for row in sample { sink(table.line(row) + "\n") }
    sample = []
    self.table = table
  }
}
