// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import CoreData
import Foundation
import _CoreDataTools

struct StoreOptions: ParsableArguments {
  @Argument(help: "The store's file, or the URL of a PostgreSQL database.", completion: .file())
  var store: String

  @Option(
    help:
      "The model with which the store was created: an .xcdatamodeld, .momd, .xcdatamodel, contents file or .mom. The version of an .xcdatamodeld or .momd that matches the store is used. If only a configuration of the model matches, the configuration is used.",
    completion: .file()
  )
  var model: String?

  var storeURL: URL { StoreLocation.url(store) }
  var modelURL: URL? { model.map { URL(fileURLWithPath: $0) } }

  /// Throws an error if an argument names a database, for a command that needs the file of an SQLite store.
  ///
  /// `reason` says why, after “`coredata inspect` needs the file of an SQLite store, because”.
  static func requireFile(_ text: String, _ command: String, because reason: String) throws {
    let url = StoreLocation.url(text)
    if url.isFileURL { return }
    throw ToolError(
      "\(url.withoutPassword): `coredata \(command)` needs the file of an SQLite store, because \(reason)",
      hint: "`coredata transfer` copies a PostgreSQL store to a file."
    )
  }

  /// Opens the store, read-only unless `isWritable` is true.
  ///
  /// If the model was reconstructed from tables, prints a warning to standard error, unless `--quiet` was
  /// given.
  func open(isWritable: Bool = false) throws -> OpenedStore {
    let opened = try OpenedStore(storeURL, model: modelURL, isWritable: isWritable)
    ModelOptions.warn(opened.loaded)
    return opened
  }
}

enum ModelOptions {
  /// Loads the model at a path.
  ///
  /// If the model was reconstructed from tables, prints a warning to standard error, unless `--quiet` was
  /// given.
  static func load(_ path: String, version: String? = nil) throws -> LoadedModel {
    let loaded = try ModelOpening.load(StoreLocation.url(path), version: version)
    warn(loaded)
    return loaded
  }

  static func warn(_ loaded: LoadedModel) {
    if let warning = loaded.warning { Terminal.printNotice("warning: \(warning)") }
  }
}
#endif
