// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// The metadata of a store of a class of the program, and the entries that the coordinator adds to them.
struct CustomMetadata {
  private let store: NSPersistentStore
  private let model: FrozenModel

  init(_ store: NSPersistentStore, _ model: FrozenModel) {
    self.store = store
    self.model = model
  }

  /// Checks the metadata that the store has loaded, and adds the version hashes if the metadata have none.
  ///
  /// - Throws: `NSPersistentStoreTypeMismatchError` if the metadata are those of another type of store;
  ///   `NSPersistentStoreOpenError` if they have no UUID; `NSPersistentStoreIncompatibleVersionHashError`
  ///   with the metadata if they are those of another model, unless the options ignore versions.
  ///
  /// Source: documented, “loadMetadata()”, for the type and the UUID.
  func check() throws {
    let metadata = StoreMetadata(store.metadata ?? [:])
    let type = store.place.type ?? ""
    for found in [store.type, metadata.type ?? type] where found != type {
      throw coreDataError(
        NSPersistentStoreTypeMismatchError,
        "The store at \(location) is of another type than the one with which it is added.",
        "Its type is “\(found)”, and it is added as “\(type)”. Set the type of the class and the value of "
          + "NSStoreTypeKey in its metadata to the type for which the class is registered."
      )
    }
    guard let identifier = store.identifier, !identifier.isEmpty else {
      throw coreDataError(
        NSPersistentStoreOpenError,
        "The store at \(location) could not be opened.",
        "The class \(Swift.type(of: store)) has loaded metadata without a UUID. Override loadMetadata(), and "
          + "set metadata to a dictionary with NSStoreUUIDKey and NSStoreTypeKey."
      )
    }
    try checkVersion(metadata)
    store.metadata = completed(metadata.values)
  }

  private var location: String { store.url?.absoluteString ?? "(no URL)" }

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
      "The version hashes in the metadata of the store at \(location) are those of another model: "
        + "\(obstacles.prefix(20).joined(separator: "; ")). Stores of the class \(Swift.type(of: store)) are "
        + "not migrated: open the store with the model that created it, and copy its objects to a new store.",
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
