// SPDX-License-Identifier: Apache-2.0

import Foundation

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
