// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import CoreData
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the objects of a store as JSON, NDJSON or CSV.",
    discussion: """
      Each record has an “$entity”. Objects are identified by their natural key (a uniqueness \
      constraint, or --key), or else by “$id”. Dates are in ISO 8601 if that is exact, or else in \
      seconds since 2001; data is in Base64. The records can be imported without loss. If an external \
      file of a value is missing, the value is written as null and reported, and the exit code is 1.

      For CSV, select an entity without subentities with --entity, or pass a folder as --output, in which \
      a file is written for each entity. A composite attribute has a column for each of its elements, \
      such as place.lat.

        coredata export Shop.sqlite --ndjson > shop.ndjson
        coredata export Shop.sqlite --entity Product --csv > products.csv
        coredata export Shop.sqlite --key Product:name --json --output shop.json
      """
  )

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var keys: KeyOptions
  @OptionGroup var verbosity: QuietOption

  @Option(help: "Export only this entity and its subentities; may be repeated.")
  var entity: [String] = []

  @Flag(help: "The format: json, ndjson (the default) or csv.")
  var format: OutputFormat = .ndjson

  @Option(name: .shortAndLong, help: "The file to write; a folder for CSV of several entities.")
  var output: String?

  func validate() throws {
    if format == .table {
      throw ValidationError(
        "A table cannot be imported again; use `coredata fetch` to print tables."
      )
    }
  }

  func run() throws {
    try Report.running(quiet: verbosity.quiet) {
      let opened = try storeOptions.open()
      let exporter = Exporter(
        opened,
        keys: try keys.natural(opened.model),
        dividesComposites: format == .csv
      )
      let chosen = try Set(entity.flatMap { try opened.entity(named: $0).family })
      let entities = exporter.order(entity.isEmpty ? nil : chosen)
      if format == .csv {
        try writeCSV(exporter, entities)
      } else {
        let sink = try OutputSink(output)
        try writeJSON(exporter, entities, sink)
        try sink.close()
      }
      try reportLosses(opened, entity.isEmpty ? nil : chosen)
    }
  }

  /// Prints the attributes with values that were exported as null because their external files are missing.
  ///
  /// - Throws: exit code 1 if there are such values.
  private func reportLosses(_ opened: OpenedStore, _ chosen: Set<Int>?) throws {
    // Only SQLite stores have values in files.
    if opened.rows.type != NSSQLiteStoreType { return }
    let file = try StoreFile(path: opened.path, access: .untouched)
    let lost = try Doctor(file, opened.loaded).lostValues(of: chosen)
    if lost.isEmpty { return }
    for finding in lost {
      Terminal.printError("\(finding.text)\n    the values are written as null")
    }
    throw ExitCode.failure
  }

  private func writeJSON(
    _ exporter: Exporter,
    _ entities: [EntityDefinition],
    _ sink: OutputSink
  ) throws {
    let progress = Progress("Exporting", total: try exporter.count(of: entities))
    defer { progress.finish() }
    var count = 0
    if format == .json { try sink.write("[") }
    for entity in entities {
      let columns = exporter.columns(of: entity, namesEntity: true)
      try exporter.forEach(entity, namesEntity: true) { row in
        let text = JSONText.object(Array(zip(columns, row)), .init(writesData: true))
        if format == .json {
          try sink.write((count == 0 ? "\n  " : ",\n  ") + text)
        } else {
          try sink.write(text + "\n")
        }
        count += 1
        if count % 1000 == 0 { progress.update(count) }
      }
    }
    if format == .json { try sink.write(count == 0 ? "]\n" : "\n]\n") }
  }

  private func writeCSV(_ exporter: Exporter, _ entities: [EntityDefinition]) throws {
    if entities.count > 1, output == nil {
      throw ToolError(
        "a CSV file contains one entity, but \(entities.count) entities (with subentities) are "
          + "selected",
        hint:
          "Pass a folder as --output to write a file for each entity, or select an entity without "
          + "subentities with --entity."
      )
    }
    let progress = Progress("Exporting", total: try exporter.count(of: entities))
    defer { progress.finish() }
    var count = 0
    for entity in entities {
      let isFolder = entities.count > 1
      if isFolder, let output {
        try FileManager.default.createDirectory(
          at: URL(fileURLWithPath: output),
          withIntermediateDirectories: true
        )
      }
      let sink = try OutputSink(output.map { isFolder ? "\($0)/\(entity.name).csv" : $0 })
      let columns = exporter.columns(of: entity, namesEntity: false)
      try sink.write(CSVText.line(columns.map(Value.text)) + "\n")
      try exporter.forEach(entity, namesEntity: false) { row in
        try sink.write(CSVText.line(row, .init(writesData: true)) + "\n")
        count += 1
        if count % 1000 == 0 { progress.update(count) }
      }
      try sink.close()
    }
  }
}
#endif
