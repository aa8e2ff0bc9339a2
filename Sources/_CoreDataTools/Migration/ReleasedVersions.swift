// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The version hashes of a model's released versions, kept in a file that is committed with the model.
///
/// The file reveals edits of a released version. Such an edit changes the version's hashes, so that the
/// version no longer matches the stores that were created with it. The file is JSON with sorted keys, so
/// that an edit of one entity changes only one line.
package struct ReleasedVersions: Codable, Equatable {
  /// Version name → entity name → version hash in Base64.
  package var versions: [String: [String: String]]

  /// One difference between the file and the model.
  package struct Problem: Equatable {
    package let version: String
    package let text: String
  }

  /// Computes the version hashes of all versions of a model.
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

  /// Reads a file of released versions.
  ///
  /// - Throws: `ToolError` if the file cannot be read, or does not contain released versions.
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

  /// Returns whether a file that cannot be decoded is empty or appears to be a damaged list of released
  /// versions, for example a list with the marks of a merge conflict.
  package static func isDamaged(file: String) -> Bool {
    guard let data = FileManager.default.contents(atPath: file) else { return false }
    let text = String(decoding: data, as: UTF8.self)
    return text.allSatisfy(\.isWhitespace) || text.contains("\"versions\"")
  }

  /// Writes the released versions to a file.
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

  /// Compares `model` with these released versions.
  ///
  /// Returns a problem for each entity of a released version that `model` has edited, for each released
  /// version that `model` lacks, and for each other version of `model`. The version named `current` is not a
  /// problem, because it may not be released yet.
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
