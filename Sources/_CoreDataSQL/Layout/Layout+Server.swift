// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataStore

extension Layout {
  /// The tables of a store in a database server besides those of the model, and the columns of its rows
  /// besides those of the properties.
  static let serverTables = [
    "z_metadata", "z_model", "z_entities", "z_tables", "z_versions", "z_history", "z_transactions",
    "z_changes",
  ]
  static let serverColumns = ["z_pk", "z_ent", "z_opt"]

  /// Creates the layout of a store in a database server.
  ///
  /// `numbers` contains the entity numbers by the entities' names; nil for a new store, which numbers its
  /// entities from 1. The names in the layout are identifiers in quotes.
  /// - Throws: `StoreError.incompatibleModel` if an entity has no number; `.invalidRequest` if the model has an
  ///   attribute that cannot be stored.
  package init(server model: ModelDefinition, numbers: [String: Int64]? = nil) throws {
    let known = try model.entities.map { entity in
      guard let numbers else { return Int64(entity.index + 1) }
      if let number = numbers[entity.name] { return number }
      throw StoreError(
        .incompatibleModel,
        "the store has no entity \(entity.name), because the store was created with another model"
      )
    }
    let builder = try ServerLayoutBuilder(model, numbers: known)
    self.model = model
    dialect = PostgresDialect()
    entities = builder.entities
    tables = builder.tables
    joins = builder.joins
    references = builder.references
    entityByNumber = Dictionary(
      zip(known, model.entities.indices),
      uniquingKeysWith: { first, _ in first }
    )
  }
}
#endif
