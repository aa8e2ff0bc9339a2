// SPDX-License-Identifier: Apache-2.0

/// One stage of a staged migration.
///
/// Each version of the model is identified by its checksum.
/// Source: documented, “NSMigrationStage”.
package struct VersionStage: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// Versions between which mappings are inferred.
    case lightweight([String])
    /// A step between two versions, with the application's handlers before and after it.
    case custom(from: String, to: String)
  }

  package let kind: Kind
  /// The application's name for the stage, for error texts; nil or empty for a stage without a name.
  package let label: String?

  package init(_ kind: Kind, label: String? = nil) {
    self.kind = kind
    self.label = label
  }

  /// The versions at which a store can be when the stage begins.
  package var departures: [String] {
    switch kind {
    case .lightweight(let versions): versions
    case .custom(let from, _): [from]
    }
  }

  /// The versions at which a store can be when the stage ends.
  package var arrivals: [String] {
    switch kind {
    case .lightweight(let versions): versions
    case .custom(_, let to): [to]
    }
  }
}

extension [VersionStage] {
  /// Returns a name for error texts, such as `stage 2 “Split names”`; stages are numbered from 1.
  func name(of index: Int) -> String {
    guard let label = self[index].label, !label.isEmpty else { return "stage \(index + 1)" }
    return "stage \(index + 1) “\(label)”"
  }

  /// The versions of all stages for error texts, such as `stage 1: A, B; stage 2: B → C`.
  var list: String {
    indices.map { index in
      switch self[index].kind {
      case .lightweight(let versions):
        "\(name(of: index)): \(versions.isEmpty ? "no version" : versions.joined(separator: ", "))"
      case .custom(let from, let to): "\(name(of: index)): \(from) → \(to)"
      }
    }.joined(separator: "; ")
  }
}
