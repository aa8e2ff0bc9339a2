// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The comparison of the entities of a mapping model with those of two models.
package struct MappingFit {
  /// The entities of one entity mapping, with the version hashes that the mapping was made for.
  package struct Claim {
    package let mapping: String
    package let source: (name: String, hash: Data?)?
    package let destination: (name: String, hash: Data?)?

    package init(
      mapping: String,
      source: (name: String, hash: Data?)?,
      destination: (name: String, hash: Data?)?
    ) {
      self.mapping = mapping
      self.source = source
      self.destination = destination
    }
  }

  /// A line for each entity that differs, such as `A: the source entity B does not match the source model`.
  package private(set) var differences: [String] = []
  private var source = Side()
  private var destination = Side()

  private struct Side {
    var equal = 0
    var differing = 0
    var isWhole: Bool { differing == 0 && equal > 0 }

    /// Counts an entity, and returns whether it has the version hash that a mapping was made for.
    mutating func compare(_ hash: Data?, _ actual: Data?) -> Bool {
      let isEqual = hash != nil && hash == actual
      if isEqual { equal += 1 } else { differing += 1 }
      return isEqual
    }
  }

  /// Compares the claims of a mapping model with the version hashes of two models, by entity name.
  package init(_ claims: [Claim], from before: [String: Data], to after: [String: Data]) {
    for claim in claims {
      if let (name, hash) = claim.source {
        if source.compare(hash, before[name]) { continue }
        differences.append(
          "\(claim.mapping): the source entity \(name) does not match the source model"
        )
      }
    }
    for claim in claims {
      if let (name, hash) = claim.destination {
        if destination.compare(hash, after[name]) { continue }
        differences.append(
          "\(claim.mapping): the destination entity \(name) does not match the destination model"
        )
      }
    }
  }

  /// Whether the mapping model fits the two models: the mapping model names at least one entity, and each
  /// entity that it names has the version hash that the mapping was made for.
  package var isWhole: Bool { differences.isEmpty && source.equal + destination.equal > 0 }

  /// Whether the mapping model does not fit the two models, but seems to be meant for them.
  ///
  /// This is so if exactly one entity differs, or if all entities of one model and some of the other model
  /// are equal. If a mapping model is meant for other versions, entities of both models differ.
  package var isNear: Bool {
    if isWhole || source.equal + destination.equal == 0 { return false }
    return differences.count == 1 || source.isWhole && destination.equal > 0
      || destination.isWhole && source.equal > 0
  }

  /// Returns the differences of a mapping model that almost fits the two models; nil if the mapping model
  /// fits, does not almost fit, or fits two of the known versions.
  ///
  /// `versions` returns the version hashes of the known versions, and is called only if the mapping model
  /// almost fits.
  package static func nearMiss(
    _ claims: [Claim],
    from before: [String: Data],
    to after: [String: Data],
    versions: () -> [[String: Data]]
  ) -> String? {
    let fit = MappingFit(claims, from: before, to: after)
    guard fit.isNear else { return nil }
    let known = versions()
    let isOthers = known.contains { source in
      known.contains { MappingFit(claims, from: source, to: $0).isWhole }
    }
    return isOthers ? nil : fit.differences.joined(separator: "; ")
  }
}
