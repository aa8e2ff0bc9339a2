// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `VersionInfo.plist` of a compiled model folder (`.momd`).
///
/// Source: observed, 13 compiled model folders.
package struct VersionInfo: Sendable, Hashable {
  static let fileName = "VersionInfo.plist"
  private static let currentKey = "NSManagedObjectModel_CurrentVersionName"
  private static let hashesKey = "NSManagedObjectModel_VersionHashes"
  private static let checksumsKey = "NSManagedObjectModel_VersionChecksums"

  /// Name of the current version's `.mom` without extension; nil where the file names none.
  package var currentVersion: String?
  /// Version → entity → 32 bytes.
  package var hashes: [String: [String: Data]] = [:]
  /// Version → base64 of the model's checksum; tools before Xcode 15 write none.
  package var checksums: [String: String] = [:]

  package init() {}

  /// - Throws: `ModelError` where the data is no property list with a dictionary at its top.
  package init(_ data: Data) throws {
    guard case .dictionary(let values) = try PropertyListReader.root(of: data) else {
      throw ModelError(reason: "it does not list versions")
    }
    currentVersion = values[Self.currentKey]?.text
    if case .dictionary(let versions)? = values[Self.hashesKey] {
      for case (let version, .dictionary(let entities)) in versions {
        hashes[version] = entities.compactMapValues { node in
          if case .data(let hash) = node { hash } else { nil }
        }
      }
    }
    if case .dictionary(let versions)? = values[Self.checksumsKey] {
      checksums = versions.compactMapValues(\.text)
    }
  }

  /// The binary property list, with the keys that Apple's tools write.
  package var data: Data {
    var values: [String: PropertyListNode] = [
      Self.hashesKey: .dictionary(
        hashes.mapValues { .dictionary($0.mapValues { .data($0) }) }
      )
    ]
    if let currentVersion { values[Self.currentKey] = .text(currentVersion) }
    if !checksums.isEmpty {
      values[Self.checksumsKey] = .dictionary(checksums.mapValues { .text($0) })
    }
    return PropertyListWriter.data(.dictionary(values))
  }
}
