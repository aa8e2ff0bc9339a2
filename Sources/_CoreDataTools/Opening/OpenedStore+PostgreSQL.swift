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
      loaded = try Self.version(of: model, for: stored)
    } else if let draft = stored.model {
      loaded = try LoadedModel(
        draft: draft,
        name: address.schema,
        origin: address.description,
        source: .storeCache
      )
    } else {
      throw ToolError(
        "\(address): the store has no copy of its model",
        hint: "Pass the model with --model MODEL.xcdatamodeld (or .momd)."
      )
    }
    var options: [AnyHashable: Any] = [:]
    if !isWritable { options[NSReadOnlyPersistentStoreOption] = true }
    if stored.hasHistory { options[NSPersistentHistoryTrackingKey] = true }
    try self.init(database: url, address.description, loaded: loaded, options: options)
  }

  /// Returns the version of a model with which the store was created; the current version if no version is.
  ///
  /// Opening the store then says what differs.
  private static func version(of model: URL, for stored: PostgresInspection) throws -> LoadedModel {
    for version in try ModelOpening.versions(of: model) {
      let loaded = try ModelOpening.load(model, version: version.name)
      if !ModelHashes(model: loaded.definition).differ(from: stored.hashes, entities: nil) {
        return loaded
      }
    }
    return try ModelOpening.load(model)
  }
}
#endif
