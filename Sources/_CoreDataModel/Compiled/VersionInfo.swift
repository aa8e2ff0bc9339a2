// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The `VersionInfo.plist` of a compiled model folder (`.momd`).
///
/// Source: observed, 13 compiled model folders.
package struct VersionInfo: Sendable, Hashable {
  static let fileName = "VersionInfo.plist"
  private static let currentKey = "NSManagedObjectModel_CurrentVersionName"
  private static let hashesKey = "NSManagedObjectModel_VersionHashes"
  private static let checksumsKey = "NSManagedObjectModel_VersionChecksums"

  /// The name of the current version's `.mom` file without extension; nil if `VersionInfo.plist` does not
  /// name the current version.
  package var currentVersion: String?
  /// Version name → entity name → version hash.
  package var hashes: [String: [String: Data]] = [:]
  /// The Base64 checksums of the models by version name; empty if the folder was compiled before Xcode 15.
  package var checksums: [String: String] = [:]

  package init() {}

  /// Reads the property list in `data`.
  ///
  /// Values of unexpected types are left out.
  /// - Throws: `ModelError` if the data is not a property list with a dictionary as its root.
  package init(_ data: Data) throws {
    guard case .dictionary(let values) = try PropertyListReader.root(of: data) else {
      throw ModelError(
        reason: "the root of the property list is not a dictionary; compile the model again"
      )
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

  /// The content of `VersionInfo.plist`, as a binary property list.
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
