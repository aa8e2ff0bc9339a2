// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Migrating through the versions between the store's model and the coordinator's.
extension AutomaticMigration {
  /// A chain of inferred mappings.
  struct Chain {
    /// The mappings in order.
    let mappings: [ModelMapping]
    /// The names of the versions between the first and the last.
    let versions: [String]

    /// The way out for an error text.
    var hint: String {
      let names =
        versions.count == 1
        ? "version \(versions[0])" : "versions \(versions.joined(separator: ", "))"
      return
        ". Mappings can be inferred through the \(names); to migrate in these steps, add the store with "
        + "ChainedMigrationOption"
    }
  }

  /// Returns the shortest chain from the store's model through newer versions beside the coordinator's model.
  ///
  /// Returns nil if there is no such chain, if the coordinator's model is not one of several versions, or if
  /// the store has a configuration.
  /// - Complexity: infers mappings between all versions from the store's to the coordinator's, at most.
  func chain(from source: ModelDefinition) -> Chain? {
    guard let url = shell.sourceURL, settings.entities == nil else { return nil }
    let versions = ModelLocator.versions(near: url).compactMap { version in
      // A version that is not a valid model is not a part of a chain.
      (try? version.freeze().definition).map { (name: version.versionName, definition: $0) }
    }
    let checksums = versions.map { ModelHashes(model: $0.definition).checksum }
    guard let start = checksums.firstIndex(of: ModelHashes(model: source).checksum),
      let end = checksums.lastIndex(of: ModelHashes(model: model).checksum)
    else { return nil }
    var mappings: [[Int]: ModelMapping] = [:]
    let chain = VersionChain.from(start, to: end) { from, to in
      let (old, new) = (versions[from].definition, to == end ? model : versions[to].definition)
      // The error is dropped: the caller reports why the direct mapping cannot be inferred.
      mappings[[from, to]] = try? ModelMapping(inferredFrom: old, to: new)
      return mappings[[from, to]] != nil
    }
    guard let chain else { return nil }
    return Chain(
      mappings: zip(chain, chain.dropFirst()).compactMap { mappings[[$0, $1]] },
      versions: chain.dropFirst().dropLast().map { versions[$0].name }
    )
  }
}
