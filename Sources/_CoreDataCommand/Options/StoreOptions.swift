// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import _CoreDataTools

/// The store and its model.
struct StoreOptions: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Option(
    help:
      "The model the store was made with: an .xcdatamodeld or .momd, of which the fitting version is taken, an .xcdatamodel, its contents file, or a .mom; of a model with configurations the fitting one.",
    completion: .file()
  )
  var model: String?

  var storeURL: URL { URL(fileURLWithPath: store) }
  var modelURL: URL? { model.map { URL(fileURLWithPath: $0) } }

  /// Opens the store so that nothing changes, unless `isWritable`.
  func open(isWritable: Bool = false) throws -> OpenedStore {
    let opened = try OpenedStore(storeURL, model: modelURL, isWritable: isWritable)
    ModelOptions.warn(opened.loaded)
    return opened
  }
}

/// The models that commands name.
enum ModelOptions {
  /// The model at a path; what has to be known about it goes to the standard error.
  static func load(_ path: String, version: String? = nil) throws -> LoadedModel {
    let loaded = try ModelOpening.load(URL(fileURLWithPath: path), version: version)
    warn(loaded)
    return loaded
  }

  static func warn(_ loaded: LoadedModel) {
    if let warning = loaded.warning { Terminal.remark("warning: \(warning)") }
  }
}
