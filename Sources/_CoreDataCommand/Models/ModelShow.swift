// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataTools

struct ModelShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows the entities and properties of a model.",
    discussion: """
        coredata model show Shop.xcdatamodeld
        coredata model show Shop.xcdatamodeld --entity Product --hashes
        coredata model show Shop.xcdatamodeld --csv
      """
  )

  @Argument(help: "The model.", completion: .file())
  var model: String

  @Option(help: "The version of an .xcdatamodeld; the current version by default.")
  var version: String?

  @Option(help: "Show only this entity; may be repeated.")
  var entity: [String] = []

  @Flag(help: "Show the version hash of each entity.")
  var hashes = false

  @OptionGroup var format: FormatOptions

  func run() throws {
    try Report.running {
      let loaded = try ModelOptions.load(model, version: version)
      let names = try entity.map { try loaded.definition.entity(namedOrSuggested: $0).name }
      let chosen = names.isEmpty ? nil : Set(names)
      let listing = ModelListing(loaded.definition)
      if format.format == .table {
        Terminal.write(listing.text(of: chosen, width: format.width, showsHashes: hashes))
        return
      }
      let columns = ModelListing.columns + (hashes ? [ModelListing.hashColumn] : [])
      var writer = format.writer(columns)
      for row in listing.rows(of: chosen, showsHashes: hashes) { writer.write(row) }
      writer.finish()
    }
  }
}
#endif
