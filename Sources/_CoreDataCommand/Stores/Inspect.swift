// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows a store's entities, counts, versions, history and sizes.",
    discussion: """
      No model is needed. Reading changes nothing in the file and creates no files beside it; an \
      existing write-ahead log (-wal) is read too.

        coredata inspect Shop.sqlite
        coredata inspect Shop.sqlite --sizes
        coredata inspect Shop.sqlite --json | jq .entities
      """
  )

  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Flag(help: "Show the size of each table with its indexes; reads the whole file.")
  var sizes = false

  @OptionGroup var format: FormatOptions

  func run() throws {
    try Report.running {
      try StoreOptions.requireFile(
        store,
        "inspect",
        because:
          "it reports the tables and sizes of the file; `coredata metadata` and `coredata fetch` take "
          + "the URL of a database"
      )
      let file = try StoreFile(path: store, access: .untouched)
      let report = try StoreReport(file, measuresTables: sizes)
      switch format.format {
      case .table: Terminal.write(report.text(width: format.width))
      case .json, .ndjson: Terminal.write(report.json + "\n")
      case .csv:
        var writer = format.writer(StoreReport.columns)
        for row in report.rows { writer.write(row) }
        writer.finish()
      }
    }
  }
}
#endif
