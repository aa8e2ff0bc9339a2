// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension MigrationForecast.Note {
  /// Returns a note about the order of the store's version and the version to migrate to; nil if the order
  /// needs no note.
  ///
  /// `isNewer` is true if the store's version is newer than the version to migrate to. `isUnknown` is true if
  /// the store's version is not one of the model's versions; `versions` is the number of these versions.
  /// `source` is the name of the store's version; nil if only the version's `identifiers` are known.
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
        text: "the version is older than the store's version "
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
        + "\(CellText.count(versions, "version")) of the model, and may be newer than this version",
      count: 0,
      examples: []
    )
  }

  /// Returns a warning about a mapping model that almost fits; `name` is the name of the file, and
  /// `differences` lists the entities that differ.
  package static func unusedMappingModel(_ name: String, _ differences: String) -> Self {
    MigrationForecast.Note(
      kind: .warning,
      place: name,
      text: "the mapping model is not used, because some entities do not match: \(differences)",
      count: 0,
      examples: []
    )
  }
}
