// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The metadata of a store, with Apple's keys; an SQLite store keeps it as a property list in `Z_METADATA`.
package struct StoreMetadata: @unchecked Sendable {
  // Unchecked: `Any` is not Sendable, but property-list values are value types or immutable objects.
  package static let typeKey = "NSStoreType"
  package static let uuidKey = "NSStoreUUID"
  package static let hashesKey = "NSStoreModelVersionHashes"
  package static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
  package static let hashesDigestKey = "NSStoreModelVersionHashesDigest"
  package static let checksumKey = "NSStoreModelVersionChecksumKey"
  package static let identifiersKey = "NSStoreModelVersionIdentifiers"
  package static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
  package static let autoVacuumKey = "_NSAutoVacuumLevel"
  /// The key that marks a store whose deferred migration is not finished.
  package static let deferredKey = "NSPersistentStoreDeferredLightweightMigrationOptionKey"

  /// The version of Apple's framework that new stores record: the first version that uses all of the keys
  /// that this library writes.
  package static let frameworkVersion = 1344

  package var values: [String: Any]
  package init(_ values: [String: Any] = [:]) { self.values = values }

  /// Entity name → version hash; empty if the metadata has no version hashes.
  package var versionHashes: [String: Data] { values[Self.hashesKey] as? [String: Data] ?? [:] }
  /// The version checksum of the store's model; nil if an early version of Apple's framework created the
  /// store.
  package var checksum: String? { values[Self.checksumKey] as? String }
  package var type: String? { values[Self.typeKey] as? String }
  package var uuid: String? { values[Self.uuidKey] as? String }
}

extension StoreMetadata {
  /// Returns the framework's metadata, without the UUID, for a new store of this type and model.
  ///
  /// `entities` contains the names of the entities in the store's configuration; nil for all entities.
  package static func initial(
    _ model: ModelDefinition,
    type: String,
    entities: Set<String>? = nil
  ) -> StoreMetadata {
    let hashes = ModelHashes(model: model)
    let own = hashes.byEntity.filter { entities?.contains($0.key) ?? true }
    return StoreMetadata([
      typeKey: type,
      hashesKey: own,
      hashesVersionKey: 3,
      hashesDigestKey: ModelHashes.digest(of: own),
      checksumKey: hashes.checksum,
      identifiersKey: model.versionIdentifiers,
      frameworkVersionKey: frameworkVersion,
    ])
  }

  /// Returns whether the metadata key belongs to the framework.
  package static func isReserved(_ key: String) -> Bool {
    switch key {
    case typeKey, uuidKey, hashesKey, hashesVersionKey, hashesDigestKey, checksumKey,
      identifiersKey, frameworkVersionKey, autoVacuumKey, deferredKey,
      "NSPersistenceMaximumFrameworkVersion":
      true
    default: false
    }
  }

  /// Returns metadata with the framework's entries of `self` and the application's entries of `other`.
  package func replacingOwn(by other: StoreMetadata) -> StoreMetadata {
    var merged = values.filter { Self.isReserved($0.key) }
    for (key, value) in other.values where !Self.isReserved(key) { merged[key] = value }
    return StoreMetadata(merged)
  }
}
