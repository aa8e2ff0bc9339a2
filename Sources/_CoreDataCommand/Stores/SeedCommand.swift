// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataTools

struct SeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed",
    abstract: "Creates a store from JSON, NDJSON or CSV; the same input results in the same bytes.",
    discussion: """
      The store is a single file, without a log or external storage, and can be put under version \
      control or into an app's resources. Its UUID is derived from the model and the records.

        coredata seed Shop.sqlite --model Shop.xcdatamodeld products.json --entity Product
        coredata seed Shop.sqlite --model Shop.xcdatamodeld shops.ndjson products.ndjson
        generate-products | coredata seed Shop.sqlite --model Shop.xcdatamodeld - --ndjson
      """
  )

  @Argument(help: "The store to create.", completion: .file())
  var store: String

  @Argument(
    help: "The files of records, in the order in which they are read; - means standard input.",
    completion: .file()
  )
  var files: [String]

  @Option(help: "The model of the store.", completion: .file())
  var model: String

  @Option(help: "The version of an .xcdatamodeld; the current version by default.")
  var version: String?

  @OptionGroup var reading: RecordOptions
  @OptionGroup var keys: KeyOptions
  @OptionGroup var verbosity: QuietOption

  @Flag(help: "Replace an existing store, but not a folder or another kind of file.")
  var force = false

  func run() throws {
    try Report.running(quiet: verbosity.quiet) {
      try StoreOptions.requireFile(
        store,
        "seed",
        because:
          "it creates a file with the same bytes each time; `coredata import` writes to a database"
      )
      let loaded = try ModelOptions.load(model, version: version)
      var inputs: [InputFile] = []
      defer { for input in inputs { input.remove() } }
      let records = try files.map { file in
        let input = try InputFile(file, format: reading.format)
        inputs.append(input)
        return try RecordFile(
          input.url,
          format: reading.format,
          entity: reading.entity,
          name: file == "-" ? "standard input" : nil
        )
      }
      let seed = Seed(
        loaded,
        files: records,
        keys: try keys.natural(loaded.definition),
        options: reading.importing
      )
      let progress = ReadingProgress("Seeding")
      let report = try progress.during {
        try seed.write(to: store, replacing: force, progress: progress.update)
      }
      Terminal.printLine("\(store): \(CellText.objects(report.inserted))\n")
    }
  }
}
#endif
