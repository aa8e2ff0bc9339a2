// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The version hashes of a model: what a store keeps to know the model that made it.
///
/// Derived and composite attributes enter hashes in a way that is not known; the entities that have
/// or inherit one are in `unverifiable`, and a store's other hash of them is no difference.
/// Source: observed, `Z_METADATA` and `VersionInfo.plist` of 177 stores.
package struct ModelHashes: Sendable {
  /// Entity name → 32 bytes; abstract entities too.
  package let byEntity: [String: Data]
  /// Names of the entities whose hash may differ from Apple's.
  package let unverifiable: Set<String>

  /// - Complexity: O(number of properties, inherited ones counted in each entity).
  package init(model: ModelDefinition) {
    WorkCounter.add(model.entities.count)
    var hashes: [Data] = []
    var unverifiable: Set<String> = []
    for entity in model.entities {
      let hasher = EntityHasher(model: model, entity: entity)
      hashes.append(hasher.hash(parent: entity.parent.map { hashes[$0] }))
      if hasher.isUnverifiable { unverifiable.insert(entity.name) }
    }
    byEntity = Dictionary(uniqueKeysWithValues: zip(model.entities.map(\.name), hashes))
    self.unverifiable = unverifiable
  }

  /// Base64 of the SHA-512 over names and hashes: `NSStoreModelVersionHashesDigest`.
  package var digest: String { Self.digest(of: byEntity) }

  /// Base64 of the SHA-256 over the hashes: `NSStoreModelVersionChecksumKey`.
  package var checksum: String { Self.checksum(of: byEntity) }

  /// The digest of hashes from anywhere, such as a store's.
  package static func digest(of hashes: [String: Data]) -> String {
    var hasher = SHA512()
    for (name, hash) in hashes.sorted(by: { utf8Less($0.key, $1.key) }) {
      hasher.update(name)
      hasher.update(hash)
    }
    return hasher.hash().base64EncodedString()
  }

  /// The checksum of hashes from anywhere.
  package static func checksum(of hashes: [String: Data]) -> String {
    var hasher = SHA256()
    for (_, hash) in hashes.sorted(by: { utf8Less($0.key, $1.key) }) { hasher.update(hash) }
    return hasher.hash().base64EncodedString()
  }
}
