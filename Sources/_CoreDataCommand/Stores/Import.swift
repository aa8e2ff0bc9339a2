// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore
import _CoreDataTools

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Imports JSON, NDJSON or CSV into a store, updating existing objects.",
    discussion: """
      Writes to the store. An object with the natural key of a record (a uniqueness constraint, or \
      --key) is updated; for other records an object is inserted. Relationships refer to objects by \
      their natural key or by {"$id": …}. Entities and properties are also found by their renaming \
      identifiers, so that a file that was exported with an old version of a model can be imported \
      with the new one. A store that does not exist, or has no tables, is created if --model is given. Records are \
      checked and saved in blocks. After a failure, the blocks saved before it stay in the store; another \
      import updates their objects that have a natural key and inserts the others again.

        coredata import Shop.sqlite shop.ndjson
        coredata import Shop.sqlite products.csv --entity Product --key Product:name --dry-run
        curl https://example.org/products | coredata import Shop.sqlite - --json --entity Product
      """
  )

  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: "The file; - means standard input.", completion: .file())
  var file: String

  @OptionGroup var reading: RecordOptions
  @OptionGroup var keys: KeyOptions
  @OptionGroup var verbosity: QuietOption

  @Flag(help: "Print what would be done, without changing the store.")
  var dryRun = false

  func run() throws {
    try Report.running(quiet: verbosity.quiet) {
      let input = try InputFile(file, format: reading.format)
      defer { input.remove() }
      let records = try RecordFile(
        input.url,
        format: reading.format,
        entity: reading.entity,
        name: file == "-" ? "standard input" : nil
      )
      if dryRun {
        try StoreOptions.requireFile(
          storeOptions.store,
          "import --dry-run",
          because: "it works on a copy of the file"
        )
      }
      let trial = dryRun ? try TrialCopy(storeOptions.storeURL) : nil
      defer { trial?.remove() }
      let opened = try open(trial?.store ?? storeOptions.storeURL)
      defer { opened.rows.close() }
      var options = reading.importing
      options.discardsChanges = dryRun
      let importer = Importer(
        opened,
        file: records,
        keys: try keys.natural(opened.model),
        options: options
      )
      let progress = ReadingProgress("Importing")
      let report = try progress.during { try importer.run(progress: progress.update) }
      Terminal.printLine(
        "\(dryRun ? "objects (dry run): " : "objects: ")\(CellText.count(report.inserted)) inserted, "
          + "\(CellText.count(report.updated)) updated, "
          + "\(CellText.count(report.unchanged)) unchanged\n"
      )
    }
  }

  private func open(_ store: URL) throws -> OpenedStore {
    if store.isDatabaseServer {
      return try OpenedStore(database: store, createdWith: storeOptions.modelURL)
    }
    if FileManager.default.fileExists(atPath: store.path) {
      // An import that could not create the store may have left a file without tables.
      guard let model = storeOptions.modelURL, try hasNoTables(store.path) else {
        return try OpenedStore(store, model: storeOptions.modelURL, isWritable: true)
      }
      return try OpenedStore(store, loaded: ModelOpening.load(model), isWritable: true)
    }
    guard let model = storeOptions.modelURL else {
      throw ToolError(
        "\(storeOptions.store): the store does not exist",
        hint: dryRun
          ? "Pass --model to see what would be imported into a new store."
          : "Pass --model to create it."
      )
    }
    return try OpenedStore(store, loaded: ModelOpening.load(model), isWritable: true)
  }

  /// Returns whether a file is a database without tables, after its unfinished transaction was rolled back.
  private func hasNoTables(_ store: String) throws -> Bool {
    do {
      return try StoreFile.hasNoTables(store)
    } catch let error as StoreError where error.engineCode == StoreError.needsRollback {
      try UnfinishedTransaction.rollBack(in: store)
      return try StoreFile.hasNoTables(store)
    }
  }
}

/// The file that an import reads.
///
/// Standard input is first written to a temporary file, because an import may read the file several times.
struct InputFile {
  let url: URL
  private let isTemporary: Bool

  init(_ path: String, format: OutputFormat?) throws {
    guard path == "-" else {
      url = URL(fileURLWithPath: path)
      isTemporary = false
      return
    }
    guard format != nil else {
      throw ToolError(
        "the format of standard input is not known",
        hint: "Pass --json, --ndjson or --csv."
      )
    }
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-input-\(UUID().uuidString)")
    isTemporary = true
    let sink = try OutputSink(url.path)
    while let part = try FileHandle.standardInput.read(upToCount: 1 << 16), !part.isEmpty {
      try sink.write(part)
    }
    try sink.close()
  }

  func remove() {
    // The error is dropped, because the system eventually deletes temporary files.
    if isTemporary { try? FileManager.default.removeItem(at: url) }
  }
}

/// A temporary copy of a store and its external storage, for `--dry-run`.
///
/// If the store does not exist, nothing is copied.
struct TrialCopy {
  let store: URL
  private let folder: TemporaryFolder

  init(_ original: URL) throws {
    folder = try TemporaryFolder("coredata-trial", for: "the copy of the store for --dry-run")
    store = folder.url.appendingPathComponent(original.lastPathComponent)
    if FileManager.default.fileExists(atPath: original.path) {
      // Another process may save during the copy, so external files are copied twice: before the store,
      // because the save may delete files to which the copy refers, and after the store, because the save may
      // add files.
      let (values, originals) = (ValueFolder(store: store.path), ValueFolder(store: original.path))
      try values.addFiles(of: originals)
      try StoreFile(path: original.path, access: .untouched).copy(to: store.path)
      try values.addFiles(of: originals)
    }
  }

  func remove() { folder.remove() }
}
#endif
