// SPDX-License-Identifier: Apache-2.0

import Foundation

enum ModelReferenceSource: CustomStringConvertible {
  case model(NSManagedObjectModel)
  case file(URL)
  case hashes([String: Data], Bundle?)
  case name(String, Bundle?)

  /// The error for a reference whose model is not found or has another checksum.
  struct Failure: Error {
    let description: String
  }

  func model(_ checksum: String) throws(Failure) -> NSManagedObjectModel {
    let candidates = candidates()
    if let model = candidates.first(where: { $0.versionChecksum == checksum }) { return model }
    let found = candidates.map { "\($0.versionName) has the checksum \($0.versionChecksum)" }
    throw Failure(
      description: found.isEmpty
        ? "\(notFound). Correct the reference, or add this version of the model to the resources of the "
          + "target"
        : "The model with the checksum \(checksum) is not \(self): \(found.joined(separator: "; ")). Correct "
          + "the checksum or, if the version was edited after its release, undo the changes"
    )
  }

  private func candidates() -> [NSManagedObjectModel] {
    switch self {
    case .model(let model): [model]
    case .file(let url): ModelLocator.versions(at: url)
    case .name(let name, let bundle): ModelLocator.versions(named: name, in: bundle)
    case .hashes(let hashes, let bundle):
      NSManagedObjectModel.mergedModel(
        from: bundle.map { [$0] },
        forStoreMetadata: [NSStoreModelVersionHashesKey: hashes]
      ).map { [$0] } ?? []
    }
  }

  private var notFound: String {
    switch self {
    case .model: "There is no model"
    case .file(let url): "No model can be read from \(url.path)"
    case .name(let name, let bundle):
      "No version of a model is named “\(name)” in \(ModelLocator.searchedPlaces(bundle))"
    case .hashes(let hashes, let bundle):
      hashes.isEmpty
        ? "The reference has no version hashes. The dictionary must contain a value of the type Data for "
          + "each entity name"
        : "No model in \(ModelLocator.searchedPlaces(bundle)) has the version hashes of the entities "
          + hashes.keys.sorted().joined(separator: ", ")
    }
  }

  /// A phrase for the reference, which completes “The model with the checksum … is not”.
  var description: String {
    switch self {
    case .model: "the model of the reference"
    case .file(let url): "at \(url.path)"
    case .name(let name, _): "the one named “\(name)”"
    case .hashes: "the one with the version hashes of the reference"
    }
  }
}

extension NSManagedObjectModel {
  /// The name of the model's file without extension; if the model has no file, a text with the names of some
  /// of its entities.
  var versionName: String {
    if let sourceURL { return ModelLocator.versionName(of: sourceURL) }
    let names = entities.compactMap(\.name).sorted()
    let limit = 3
    let list = names.isEmpty ? "no entity" : names.prefix(limit).joined(separator: ", ")
    let more = names.count > limit ? " and \(names.count - limit) more entities" : ""
    return "a model with \(list)\(more)"
  }
}
