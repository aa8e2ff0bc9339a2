// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// The metadata of a custom store, with the entries that the coordinator adds.
struct CustomMetadata {
  private let store: NSPersistentStore
  private let model: FrozenModel

  init(_ store: NSPersistentStore, _ model: FrozenModel) {
    self.store = store
    self.model = model
  }

  /// Checks the metadata that the store has loaded, and adds the coordinator's entries to them.
  ///
  /// - Throws: `NSPersistentStoreTypeMismatchError` if the metadata name a different store type;
  ///   `NSPersistentStoreOpenError` if the metadata contain no UUID;
  ///   `NSPersistentStoreIncompatibleVersionHashError`, with the metadata in its `userInfo`, if the version
  ///   hashes do not match the model and the options do not ignore versions.
  ///
  /// Source: documented, “loadMetadata()”, for the type and the UUID.
  func check() throws {
    let metadata = StoreMetadata(store.metadata ?? [:])
    let type = store.place.type ?? ""
    for found in [store.type, metadata.type ?? type] where found != type {
      throw coreDataError(
        NSPersistentStoreTypeMismatchError,
        "The store at \(location) does not have the type with which it is added.",
        "The store has the type “\(found)”, but it is added with the type “\(type)”. In the store's class, "
          + "set the type and the value for NSStoreTypeKey to the type for which the class is registered."
      )
    }
    guard let identifier = store.identifier, !identifier.isEmpty else {
      throw coreDataError(
        NSPersistentStoreOpenError,
        "The store at \(location) could not be opened.",
        "The class \(Swift.type(of: store)) loaded metadata without a UUID. Override loadMetadata(), and "
          + "set metadata to a dictionary with the keys NSStoreUUIDKey and NSStoreTypeKey."
      )
    }
    try checkVersion(metadata)
    store.metadata = completed(metadata.values)
  }

  private var location: String { store.url?.withoutPassword ?? "(no URL)" }

  private func checkVersion(_ metadata: StoreMetadata) throws {
    if metadata.versionHashes.isEmpty
      || StoreOpener.flag(NSIgnorePersistentStoreVersioningOption, in: store.options ?? [:])
    {
      return
    }
    let names = store.entities.map { Set($0.map { model.definition.entities[$0].name }) }
    let obstacles = ModelDifference.obstacles(
      toOpening: metadata.versionHashes,
      of: nil,
      with: model.definition,
      entities: names
    )
    if obstacles.isEmpty { return }
    throw coreDataError(
      NSPersistentStoreIncompatibleVersionHashError,
      "The model used to open the store is incompatible with the one used to create the store.",
      "The version hashes in the metadata of the store at \(location) do not match the model: "
        + "\(obstacles.prefix(20).joined(separator: "; ")). Stores of the class \(Swift.type(of: store)) are "
        + "not migrated: open the store with the model that created it, and copy the objects to a new store.",
      userInfo: ["metadata": metadata.values]
    )
  }

  /// Returns `values` with the entries that the coordinator maintains: the type, the UUID and the version of
  /// the model.
  func completed(_ values: [String: Any]) -> [String: Any] {
    var values = values
    values[NSStoreTypeKey] = store.place.type
    values[NSStoreUUIDKey] = store.uuid
    values[StoreMetadata.hashesKey] = model.hashes.byEntity
    values[StoreMetadata.hashesVersionKey] = 3
    values[StoreMetadata.hashesDigestKey] = model.hashes.digest
    values[StoreMetadata.checksumKey] = model.hashes.checksum
    values[StoreMetadata.identifiersKey] = model.definition.versionIdentifiers
    return values
  }
}
