// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
/// The settings with which a store is opened.
package struct PostgresStoreOptions: Sendable {
  package var address: PostgresAddress
  package var isReadOnly = false
  /// The greatest number of connections that the store has at the same time, besides the one that watches.
  package var connections = 8
  /// Whether reads use a standby server if there is one that has what the store has seen and written.
  package var readsStandbys = false
  /// The milliseconds after which the server cancels a statement; 0 for no limit.
  package var statementTimeout = 0
  /// The milliseconds for which a request waits for a connection, and for a server that does not answer.
  package var patience = 30_000
  /// The names of the entities of the store's configuration; nil for all entities.
  package var entities: Set<String>?
  /// Whether the store records its history; a store that has a history is read-only without this.
  package var tracksHistory = false
  /// Whether the model is not compared with that of the store.
  package var ignoresModelVersions = false

  /// The name by which the store's sessions and notifications are known to other stores.
  var writer: String?

  package init(address: PostgresAddress) { self.address = address }

  var settings: PostgresSettings {
    var settings = PostgresSettings()
    settings.statementTimeout = statementTimeout
    settings.patience = patience
    settings.isReadOnly = isReadOnly
    settings.writer = writer
    return settings
  }
}
#endif
