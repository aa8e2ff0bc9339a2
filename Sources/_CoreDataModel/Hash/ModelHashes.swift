// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The version hashes of a model, by which a store identifies the model that created it.
///
/// Apple's way of hashing derived and composite attributes is not known. `unverifiable` contains the entities
/// that have or inherit such a persistent attribute. For such an entity, a store that Apple's framework
/// created from the same model may contain another hash.
/// Source: observed, `Z_METADATA` and `VersionInfo.plist` of 177 stores.
package struct ModelHashes: Sendable {
  /// The 32-byte hashes of all entities, including abstract ones, by entity name.
  package let byEntity: [String: Data]
  /// The names of the entities whose hash may differ from Apple's.
  package let unverifiable: Set<String>

  /// Computes the hashes of `model`, or reads them from the model if they were computed before.
  ///
  /// - Complexity: O(properties) for the first call with a model, where an inherited property counts in each
  ///   entity; O(1) for further calls.
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

  /// Returns the digest of `hashes`, the version hashes by entity name, such as those of a store.
  package static func digest(of hashes: [String: Data]) -> String {
    var hasher = SHA512()
    for (name, hash) in hashes.sorted(by: { utf8Less($0.key, $1.key) }) {
      hasher.update(name)
      hasher.update(hash)
    }
    return hasher.hash().base64EncodedString()
  }

  /// Returns the checksum of `hashes`, the version hashes by entity name, such as those of a store.
  package static func checksum(of hashes: [String: Data]) -> String {
    var hasher = SHA256()
    for (_, hash) in hashes.sorted(by: { utf8Less($0.key, $1.key) }) { hasher.update(hash) }
    return hasher.hash().base64EncodedString()
  }
}
