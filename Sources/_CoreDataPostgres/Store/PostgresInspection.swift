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
    try self.init(PostgresConnection(address, settings: settings))
  }

  /// Reads the store through a connection, the hashes and the model at one moment.
  ///
  /// - Throws: as `init(_:)`.
  init(_ connection: PostgresConnection) throws {
    let metadata = PostgresMetadata(connection: connection)
    guard try metadata.exists() else { throw Self.noStore(connection.address) }
    let (content, copy) = try metadata.requireWithModel()
    hashes = content.metadata.versionHashes
    hasHistory = try metadata.exists("z_history")
    model = try copy.map { try ModelArchive.draft(compressed: $0, predicates: PredicateTexts()) }
  }

  /// Returns whether the store was created with another version of a model, or of some of its entities.
  package func differs(from model: ModelDefinition, entities: Set<String>?) -> Bool {
    ModelHashes(model: model).differ(from: hashes, entities: entities)
  }
}
#endif
