// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataTools

struct FormatOptions: ParsableArguments {
  @Flag(help: "The format of the output; table by default.")
  var format: OutputFormat = .table

  @Flag(name: .long, help: "Do not truncate wide tables to the width of the terminal.")
  var wide = false

  /// The terminal's number of columns; nil if standard output is not a terminal, or if `--wide` was given.
  var width: Int? { wide ? nil : Terminal.outputWidth }

  /// Returns a writer of rows to standard output.
  ///
  /// If `remedy` is not nil, a table shows only the columns that fit, and `remedy` tells the user which
  /// option selects columns.
  func writer(
    _ columns: [String],
    _ options: JSONText.Options = .init(),
    remedy: String? = nil
  ) -> RowWriter {
    RowWriter(
      format,
      columns: columns,
      width: width,
      options: options,
      remedy: remedy,
      sink: Terminal.write
    )
  }
}

extension OutputFormat: EnumerableFlag {
  package static func help(for value: OutputFormat) -> ArgumentHelp? {
    switch value {
    case .table: "A table with aligned columns."
    case .json: "One JSON array."
    case .ndjson: "One JSON object per line."
    case .csv: "Comma-separated values with a header line."
    }
  }
}
#endif
