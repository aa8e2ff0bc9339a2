// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel
import _CoreDataStore

#if PostgreSQL
import _CoreDataPostgres

extension OpenedStore {
  /// Opens an existing store in a PostgreSQL database.
  ///
  /// Without a model, the copy in the store is used.
  /// - Throws: `StoreError`, `ModelError`, `ToolError`, errors of `NSCocoaErrorDomain`.
  convenience init(database url: URL, model: URL?, isWritable: Bool) throws {
    let address = try PostgresAddress(url.absoluteString)
    let stored = try PostgresInspection(address)
    let loaded: LoadedModel
    if let model {
      loaded = try ModelOpening.version(of: model, for: stored.hashes)
    } else {
      loaded = try LoadedModel(stored, at: address)
    }
    var options: [AnyHashable: Any] = [:]
    if !isWritable { options[NSReadOnlyPersistentStoreOption] = true }
    if stored.hasHistory { options[NSPersistentHistoryTrackingKey] = true }
    try self.init(
      url,
      type: .postgreSQL,
      address.description,
      loaded: loaded,
      options: options
    )
  }
}

extension LoadedModel {
  /// The copy of the model in a store.
  fileprivate init(_ stored: PostgresInspection, at address: PostgresAddress) throws {
    guard let draft = stored.model else {
      throw ToolError(
        "\(address): the store has no copy of its model",
        hint: "Pass the model with --model MODEL.xcdatamodeld (or .momd)."
      )
    }
    try self.init(
      draft: draft,
      name: address.schema,
      origin: address.description,
      source: .storeCache
    )
  }
}
#endif

extension LoadedModel {
  /// Reads the copy of the model in the store of a database.
  ///
  /// - Throws: `ToolError` if there is no copy; `StoreError`, `ModelError`.
  init(database url: URL) throws {
    #if PostgreSQL
    let address = try PostgresAddress(url.absoluteString)
    try self.init(PostgresInspection(address), at: address)
    #else
    throw OpenedStore.noPostgreSQL(url)
    #endif
  }
}
