// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension AutomaticMigration {
  struct Chain {
    let mappings: [ModelMapping]
    /// The names of the versions in order: first the store's model, last the coordinator's model.
    let names: [String]
    /// The names of the versions between the store's model and the coordinator's.
    var versions: [String] { Array(names.dropFirst().dropLast()) }

    /// The end of an error text, which names these versions and the option to migrate through them.
    var hint: String {
      let names =
        versions.count == 1
        ? "version \(versions[0])" : "versions \(versions.joined(separator: ", "))"
      return
        ". Mappings can be inferred step by step through the \(names). To migrate in these steps, set "
        + "ChainedMigrationOption to true when you add the store"
    }
  }

  /// Returns the shortest chain of inferred mappings from `source` to the coordinator's model, through later
  /// versions in the model folder.
  ///
  /// Returns nil if there is no such chain, if the model folder does not contain both models, or if the store
  /// is added with a configuration.
  /// - Complexity: infers at most one mapping for each pair of versions.
  func chain(from source: ModelDefinition) -> Chain? {
    guard let url = shell.sourceURL, settings.entities == nil else { return nil }
    let versions = ModelLocator.versions(near: url).compactMap { version in
      // The error is dropped, because an invalid version cannot be a part of a chain.
      (try? version.freeze().definition).map { (name: version.versionName, definition: $0) }
    }
    let checksums = versions.map { ModelHashes(model: $0.definition).checksum }
    guard let start = checksums.firstIndex(of: ModelHashes(model: source).checksum),
      let end = checksums.lastIndex(of: ModelHashes(model: model).checksum)
    else { return nil }
    var mappings: [[Int]: ModelMapping] = [:]
    let chain = VersionChain.from(start, to: end) { from, to in
      let (old, new) = (versions[from].definition, to == end ? model : versions[to].definition)
      // The error is dropped, because the caller reports why the direct mapping cannot be inferred.
      mappings[[from, to]] = try? ModelMapping(inferredFrom: old, to: new)
      return mappings[[from, to]] != nil
    }
    guard let chain else { return nil }
    return Chain(
      mappings: zip(chain, chain.dropFirst()).compactMap { mappings[[$0, $1]] },
      names: chain.map { versions[$0].name }
    )
  }
}

extension ModelMapping {
  fileprivate func names(_ kind: Kind) -> [String] {
    entities.filter { $0.kind == kind }.compactMap { entity in
      entity.destination.map { destination.entities[$0].name }
        ?? entity.source.map { source.entities[$0].name }
    }
  }

  /// The entities that the mapping adds, changes and removes, such as `adds Tag; changes Note`.
  var changesText: String {
    let parts = [("adds", Kind.add), ("changes", .transform), ("removes", .remove)]
      .compactMap { verb, kind -> String? in
        let names = names(kind)
        return names.isEmpty ? nil : "\(verb) \(names.joined(separator: ", "))"
      }
    return parts.isEmpty ? "changes no entity" : parts.joined(separator: "; ")
  }
}
