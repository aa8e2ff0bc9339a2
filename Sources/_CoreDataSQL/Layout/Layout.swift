// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The tables and columns for a model in a store, and the engine that stores them: in an SQLite store as Apple's
/// framework creates them, in a database server with the names of the model.
///
/// All names are identifiers as statements contain them, so a name that needs quotes has quotes.
/// Source: for SQLite, observed, `docs/reference/sqlite-format.md`; the tests compare with real files. For
/// servers, this library's choice, `docs/postgresql.md`.
package struct Layout: Sendable {
  package let model: ModelDefinition
  /// What statements for these tables say as the engine needs it.
  package let dialect: any Dialect
  /// The table and columns of each entity, by entity index.
  package let entities: [EntityLayout]
  package let tables: [TableLayout]
  package let joins: [JoinLayout]
  /// Entity number → entity index.
  package let entityByNumber: [Int64: Int]
  /// The foreign keys; empty for SQLite, whose files have none.
  package let references: [ServerReference]

  /// Creates the layout of a new file, or of the file that `stored` describes.
  ///
  /// `entities` contains the names of the entities that must exist in the file, such as those of a
  /// configuration; nil stands for all entities of the model. The other entities can be missing in the file;
  /// their properties then have no columns.
  /// - Throws: `StoreError.incompatibleModel` if the file lacks a required entity, or if two entities of the
  ///   model have the same entity number in the file; `.invalidRequest` if the model has an attribute that
  ///   cannot be stored.
  package init(
    model: ModelDefinition,
    stored: StoredSchema? = nil,
    entities needed: Set<String>? = nil
  ) throws {
    let builder = try LayoutBuilder(model: model, stored: stored, entities: needed)
    self.model = model
    dialect = SQLiteDialect()
    entities = builder.entities
    tables = builder.tables
    joins = builder.joins
    references = []
    entityByNumber = Dictionary(
      uniqueKeysWithValues: builder.entities.map { ($0.number, $0.entity) }
    )
  }

  /// Returns the table or column name for the name of an entity or property: `Z` and the name in upper case,
  /// with `_` for each character that is not a letter, a number or `_`.
  package static func name(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return plainName(name) }
    return "Z"
      + String(name.uppercased().map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }

  /// Returns the name for an ASCII name, several times as fast as the general conversion in `name(_:)`.
  private static func plainName(_ name: String) -> String {
    var bytes = [UInt8(ascii: "Z")]
    bytes.reserveCapacity(name.utf8.count + 1)
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): bytes.append(byte - 32)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        bytes.append(byte)
      default: bytes.append(UInt8(ascii: "_"))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
