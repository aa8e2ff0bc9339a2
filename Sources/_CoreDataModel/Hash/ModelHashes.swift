// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The version hashes of a model, by which a store identifies the model that created it.
///
/// How Apple hashes derived and composite attributes is not known. Entities that have or inherit such a
/// persistent attribute are in `unverifiable`, and a different hash of such an entity in a store does not
/// count as a difference.
/// Source: observed, `Z_METADATA` and `VersionInfo.plist` of 177 stores.
package struct ModelHashes: Sendable {
  /// The hashes, of 32 bytes, by entity name, including abstract entities.
  package let byEntity: [String: Data]
  /// Names of the entities whose hash may differ from Apple's.
  package let unverifiable: Set<String>

  /// Computes the hashes of `model`, or reads them from the model if they were computed before.
  ///
  /// - Complexity: O(properties) the first time, where an inherited property counts in each entity; then
  ///   O(1).
  package init(model: ModelDefinition) {
    if let computed = model.computedHashes.withLock({ $0 }) {
      self = computed
      return
    }
    self.init(computedFrom: model)
    model.computedHashes.withLock { $0 = self }
  }

  private init(computedFrom model: ModelDefinition) {
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

  /// The value of `NSStoreModelVersionHashesDigest`: the SHA-512 hash of all entity names and hashes, in
  /// Base64.
  package var digest: String { Self.digest(of: byEntity) }

  /// The value of `NSStoreModelVersionChecksumKey`: the SHA-256 hash of all hashes, in Base64.
  package var checksum: String { Self.checksum(of: byEntity) }

  /// Returns the digest of version hashes by entity name, such as those of a store.
  package static func digest(of hashes: [String: Data]) -> String {
    var hasher = SHA512()
    for (name, hash) in hashes.sorted(by: { utf8Less($0.key, $1.key) }) {
      hasher.update(name)
      hasher.update(hash)
    }
    return hasher.hash().base64EncodedString()
  }

  /// Returns the checksum of version hashes by entity name, such as those of a store.
  package static func checksum(of hashes: [String: Data]) -> String {
    var hasher = SHA256()
    for (_, hash) in hashes.sorted(by: { utf8Less($0.key, $1.key) }) { hasher.update(hash) }
    return hasher.hash().base64EncodedString()
  }
}
