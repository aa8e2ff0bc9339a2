// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension MigrationForecast.Note {
  /// Returns a note about the order of the two versions; nil if there is nothing to say about it.
  ///
  /// `isNewer` tells whether the store's version is newer than the version to migrate to, and `isUnknown` whether
  /// the store's version is not among the `versions` versions of the model. `source` is the name of the store's
  /// version; nil if only its `identifiers` are known.
  package static func order(
    isNewer: Bool,
    isUnknown: Bool,
    from source: String?,
    _ identifiers: [String],
    to destination: String,
    versions: Int
  ) -> Self? {
    if isNewer {
      return MigrationForecast.Note(
        kind: .older,
        place: destination,
        text: "the version is older than that of the store "
          + (source.map { "(“\($0)”)" }
            ?? "(version identifier \(identifiers.joined(separator: ", ")))"),
        count: 0,
        examples: []
      )
    }
    if !isUnknown { return nil }
    return MigrationForecast.Note(
      kind: .warning,
      place: destination,
      text: "the version that created the store is not one of the "
        + "\(CellText.count(versions, "version")) of the model, and may be newer",
      count: 0,
      examples: []
    )
  }

  /// A warning about a mapping model in the file `name` that almost fits; `differences` are the entities that differ.
  package static func unusedMappingModel(_ name: String, _ differences: String) -> Self {
    MigrationForecast.Note(
      kind: .warning,
      place: name,
      text: "the mapping model almost fits the two versions, but is not used: \(differences)",
      count: 0,
      examples: []
    )
  }
}
