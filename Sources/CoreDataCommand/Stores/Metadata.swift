// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreDataModel
import CoreDataSQLite
import CoreDataTools
import Foundation

/// `coredata metadata`: the property list of a store.
struct Metadata: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows a store's metadata, version hashes included.",
    discussion: """
      Hashes are written in Base64, as VersionInfo.plist shows them. With --model, tells which \
      entities differ from the model, and exits with 1 where one does.

        coredata metadata Shop.sqlite
        coredata metadata Shop.sqlite --model Shop.xcdatamodeld
      """
  )

  @OptionGroup var place: StoreOptions
  @OptionGroup var format: FormatOptions

  func run() throws {
    try Report.running {
      let metadata = try StoreFile(path: place.store, access: .untouched).metadata()
      if let model = place.modelURL {
        let loaded = try ModelOpening.load(model)
        let differences = ModelHashes(model: loaded.definition)
          .differences(stored: metadata.versionHashes)
        for line in differences { Terminal.write(line + "\n") }
        if !differences.isEmpty { throw ExitCode(1) }
        Terminal.write("The model fits the store.\n")
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
}
