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
