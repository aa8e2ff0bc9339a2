// SPDX-License-Identifier: Apache-2.0

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

  var storeURL: URL {
    if store.contains("://"), let url = URL(string: store), url.isDatabaseServer { return url }
    return URL(fileURLWithPath: store)
  }
  var modelURL: URL? { model.map { URL(fileURLWithPath: $0) } }

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
    let loaded = try ModelOpening.load(URL(fileURLWithPath: path), version: version)
    warn(loaded)
    return loaded
  }

  static func warn(_ loaded: LoadedModel) {
    if let warning = loaded.warning { Terminal.printNotice("warning: \(warning)") }
  }
}
