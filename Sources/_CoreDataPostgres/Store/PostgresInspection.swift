// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// What a program without the model of a store can find out about the store.
package struct PostgresInspection: Sendable {
  /// The version hashes of the model with which the store was created.
  package let hashes: [String: Data]
  /// The copy of the model in the store; nil if there is no copy.
  package let model: ModelDraft?
  package let hasHistory: Bool

  static func noStore(_ address: PostgresAddress) -> StoreError {
    StoreError(
      .cannotOpen,
      "the schema \(address.schema) has no tables of a store; name the schema with ?schema=… in the URL",
      path: address.description
    )
  }

  /// Reads the store in a schema, and changes nothing.
  ///
  /// - Throws: `StoreError.cannotOpen` if the server cannot be reached, or if the schema has no store;
  ///   `ModelError` if the copy of the model cannot be read.
  package init(_ address: PostgresAddress) throws {
    var settings = PostgresSettings()
    settings.isReadOnly = true
    let connection = try PostgresConnection(address, settings: settings)
    let metadata = PostgresMetadata(connection: connection)
    guard try metadata.exists() else { throw Self.noStore(address) }
    hashes = try metadata.require().metadata.versionHashes
    hasHistory = try metadata.exists("z_history")
    let rows = try connection.run("SELECT z_content FROM z_model LIMIT 1")
    model =
      rows.rowCount == 0
      ? nil
      : try ModelArchive.draft(compressed: rows.data(0, 0) ?? Data(), predicates: PredicateTexts())
  }
}
#endif
