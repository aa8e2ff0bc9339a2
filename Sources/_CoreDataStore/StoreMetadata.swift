// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A store's metadata: the property list of `Z_METADATA` and its keys.
package struct StoreMetadata: @unchecked Sendable {
  // Unchecked: the values are those of property lists; these values are value types or immutable.
  package static let typeKey = "NSStoreType"
  package static let uuidKey = "NSStoreUUID"
  package static let hashesKey = "NSStoreModelVersionHashes"
  package static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
  package static let hashesDigestKey = "NSStoreModelVersionHashesDigest"
  package static let checksumKey = "NSStoreModelVersionChecksumKey"
  package static let identifiersKey = "NSStoreModelVersionIdentifiers"
  package static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
  package static let autoVacuumKey = "_NSAutoVacuumLevel"

  package var values: [String: Any]
  package init(_ values: [String: Any] = [:]) { self.values = values }

  /// Entity name → 32 bytes.
  package var versionHashes: [String: Data] { values[Self.hashesKey] as? [String: Data] ?? [:] }
  package var type: String? { values[Self.typeKey] as? String }
  package var uuid: String? { values[Self.uuidKey] as? String }
}
