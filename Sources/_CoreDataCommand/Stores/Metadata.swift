// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

struct Metadata: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows a store's metadata, including version hashes.",
    discussion: """
      Hashes are written in Base64. With --model, the command prints the differences from the model, \
      and exits with 1 if there are any. If the store was created with a configuration of the model, \
      only the entities of that configuration are compared.

      The store can be an SQLite, XML, binary or PostgreSQL store.

        coredata metadata Shop.sqlite
        coredata metadata Shop.sqlite --model Shop.xcdatamodeld
      """
  )

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var format: FormatOptions

  func run() throws {
    try Report.running {
      let location = try StoreLocation(existing: storeOptions.storeURL)
      let metadata = try location.metadata()
      if let model = storeOptions.modelURL {
        let loaded = try ModelOpening.load(model)
        let fit = StoreFit(
          of: loaded.definition,
          to: metadata.versionHashes,
          storedModel: location.storedModel()
        )
        try compare(fit)
        return
      }
      if format.format == .json {
        Terminal.write(MetadataText.json(metadata) + "\n")
        return
      }
      var writer = format.writer(["key", "value"])
      for row in MetadataText.rows(metadata) { writer.write(row) }
      writer.finish()
    }
  }

  private func compare(_ fit: StoreFit) throws {
    if format.format == .table {
      if fit.differences.isEmpty {
        let name = fit.configuration.map { "The configuration “\($0)” of the model" } ?? "The model"
        Terminal.write("\(name) matches the store.\n")
      } else if let name = fit.configuration {
        Terminal.write(
          "The store does not match the model. The closest configuration is “\(name)”:\n"
        )
      }
      for line in fit.differences { Terminal.write(line + "\n") }
    } else {
      var writer = format.writer(["configuration", "difference"])
      for line in fit.differences {
        writer.write([fit.configuration.map(Value.text) ?? .null, .text(line)])
      }
      writer.finish()
    }
    if !fit.differences.isEmpty { throw ExitCode(1) }
  }
}
#endif
