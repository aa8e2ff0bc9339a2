// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The version hashes of a model's released versions, as in a file that is committed with the model.
///
/// A released version that is edited has other hashes, so it no longer matches stores that were created with
/// it. The file is JSON with sorted keys, so that a change of one entity is a change of one line.
package struct ReleasedVersions: Codable, Equatable {
  /// The hash of each entity in Base64, by the names of the version and the entity.
  package var versions: [String: [String: String]]

  /// One difference between the file and the model.
  package struct Problem: Equatable {
    package let version: String
    package let text: String
  }

  /// Computes the hashes of all versions of a model.
  ///
  /// - Throws: `ModelError`; `ToolError` if the model does not exist.
  package init(of model: URL) throws {
    versions = [:]
    guard FileManager.default.fileExists(atPath: model.path) else {
      throw ToolError("\(model.path): there is no file or folder at this path")
    }
    for version in try ModelOpening.versions(of: model) {
      let loaded = try ModelOpening.load(model, version: version.name)
      versions[version.name] = ModelHashes(model: loaded.definition).byEntity
        .mapValues { $0.base64EncodedString() }
    }
  }

  /// Reads the file.
  ///
  /// - Throws: `ToolError` if the file is missing or is not such a file.
  package init(file: String) throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw ToolError(
        "\(file): the file does not exist or cannot be read",
        hint: "Pass --update to write the file."
      )
    }
    do {
      self = try JSONDecoder().decode(ReleasedVersions.self, from: data)
    } catch {
      throw ToolError(
        "\(file): the file is not a list of released versions",
        hint:
          "Pass the path of a file that --update has written, or --update with the path of a new "
          + "file."
      )
    }
  }

  /// Whether a file that cannot be read was such a list, for example one with the marks of a merge conflict, or is
  /// empty.
  package static func isDamaged(file: String) -> Bool {
    guard let data = FileManager.default.contents(atPath: file) else { return false }
    let text = String(decoding: data, as: UTF8.self)
    return text.allSatisfy(\.isWhitespace) || text.contains("\"versions\"")
  }

  /// Writes the file.
  ///
  /// - Throws: `ToolError` if the file cannot be written.
  package func write(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      var data = try encoder.encode(self)
      data.append(UInt8(ascii: "\n"))
      try data.write(to: URL(fileURLWithPath: file), options: .atomic)
    } catch {
      throw ToolError("\(file): the file cannot be written: \(ToolError(error).message)")
    }
  }

  /// Returns the differences of a model from these released versions: versions that were edited or removed,
  /// and versions that are not in this list.
  ///
  /// The model's version `current` need not be in the list, because it may not be released yet.
  package func problems(in model: ReleasedVersions, current: String?) -> [Problem] {
    Set(versions.keys).union(model.versions.keys).sorted(by: utf8Less).flatMap { name in
      switch (versions[name], model.versions[name]) {
      case (let released?, let now?):
        return Self.edits(released, now).map { Problem(version: name, text: $0) }
      case (_?, nil): return [Problem(version: name, text: "the model lacks this released version")]
      case (nil, _?) where name != current:
        return [Problem(version: name, text: "the file lacks this version; --update adds it")]
      default: return []
      }
    }
  }

  private static func edits(_ released: [String: String], _ now: [String: String]) -> [String] {
    Set(released.keys).union(now.keys).sorted(by: utf8Less).compactMap { entity in
      switch (released[entity], now[entity]) {
      case (nil, _?): "\(entity): the entity was added after the release"
      case (_?, nil): "\(entity): the entity was removed after the release"
      case (let old, let new):
        old == new ? nil : "\(entity): the entity was edited after the release"
      }
    }
  }
}
