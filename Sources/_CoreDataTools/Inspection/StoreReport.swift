// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

/// The information about a store that can be read from its files without a model.
package struct StoreReport {
  /// One entity of the file.
  package struct Entity {
    package let name: String
    package let number: Int64
    /// The name of the parent entity; nil for a root entity.
    package let parent: String?
    /// The name of the table for the entity's hierarchy; nil if the file lacks this table.
    package let table: String?
    /// The number of objects with exactly this entity; nil if the file lacks the table.
    package let count: Int?
    /// The last primary key assigned in the hierarchy; meaningful only for a root entity.
    ///
    /// Nil if the value in the file is not an integer.
    package let lastKey: Int64?
  }

  package let path: String
  package let metadata: StoreMetadata
  package let entities: [Entity]
  /// The name of each join table, and the number of its rows.
  package let joins: [(name: String, count: Int)]
  package let history: HistoryReport?
  package let hasModelCache: Bool
  /// The name and the size in bytes of the database file and of each of its side files.
  package let sizes: [(name: String, bytes: Int)]
  package let journal: String
  package let pageSize: Int
  package let pages: Int
  package let freePages: Int
  /// The number of files in external storage, and their total size in bytes.
  package let externalFiles: (count: Int, bytes: Int)
  /// Table name → the size of the table and its indexes in bytes; nil if tables were not measured.
  package let tableSizes: [String: Int]?

  /// Creates a report about a store without changing the store.
  ///
  /// If `measuresTables` is true, SQLite reads the whole file to measure the size of each table.
  /// - Throws: `StoreError`; `ToolError` if SQLite cannot measure tables, or if the folder of external
  ///   storage cannot be listed.
  /// - Complexity: about one statement for each table, to count its rows.
  package init(_ file: StoreFile, measuresTables: Bool = false) throws {
    path = file.path
    metadata = try file.metadata()
    let schema = try file.schema()
    entities = try Self.entities(file, schema)
    joins = try Self.joins(file, schema, entities)
    history = try HistoryReport(file, schema)
    hasModelCache =
      try schema.columns[StoreFile.modelCache] != nil
      && (file.integer("SELECT COUNT(*) FROM \(StoreFile.modelCache)") ?? 0) > 0
    sizes = Self.sizes(file.path)
    journal = Self.journal(of: file.path)
    pageSize = Int(try file.integer("PRAGMA page_size") ?? 0)
    pages = Int(try file.integer("PRAGMA page_count") ?? 0)
    freePages = Int(try file.integer("PRAGMA freelist_count") ?? 0)
    let external = try ExternalFolder(store: file.path).files()
    externalFiles = (external.count, external.reduce(0) { $0 + $1.bytes })
    tableSizes = measuresTables ? try Self.measured(file) : nil
  }

  private static func measured(_ file: StoreFile) throws -> [String: Int] {
    guard try file.integer("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") != nil else {
      throw ToolError(
        "this build of SQLite cannot measure tables, because it does not have dbstat",
        hint: "Omit --sizes."
      )
    }
    var sizes: [String: Int] = [:]
    try file.forEach(
      "SELECT m.tbl_name, SUM(d.pgsize) FROM dbstat AS d JOIN sqlite_master AS m "
        + "ON m.name = d.name WHERE d.aggregate = 1 GROUP BY 1"
    ) { row in
      if let table = row[0].text { sizes[table] = Int(row[1].whole) }
    }
    return sizes
  }

  /// Returns the size in bytes of a root entity's table, including the table's indexes.
  ///
  /// Returns nil if the entity is not a root, if the file lacks the table, or if tables were not measured.
  package func bytes(of entity: Entity) -> Int? {
    entity.parent == nil ? entity.table.flatMap { tableSizes?[$0] } : nil
  }

  /// The size in bytes of the history's tables and their indexes; nil if tables were not measured.
  package var historyBytes: Int? {
    tableSizes.map { sizes in
      [HistorySchema.transactions, HistorySchema.changes, HistorySchema.strings]
        .reduce(0) { $0 + (sizes[$1] ?? 0) }
    }
  }

  /// The maximum number of ancestors to follow; in a damaged file, an entity can be its own ancestor.
  static let depth = 128

  private static func entities(_ file: StoreFile, _ schema: StoredSchema) throws -> [Entity] {
    let found = try file.entities()
    let byNumber = Dictionary(found.map { ($0.number, $0) }) { first, _ in first }
    var counts: [String: [Int64: Int]] = [:]
    // The entities of the persistent history are left out, because `Layout.name` does not return the names of
    // their tables.
    return try found.filter { !$0.isReserved }.map { entity in
      var root = entity
      var steps = 0
      while let parent = byNumber[root.parent], root.parent != 0, steps < depth {
        root = parent
        steps += 1
      }
      let name = Layout.name(root.name)
      let table = schema.columns[name] == nil ? nil : name
      if let table, counts[table] == nil {
        counts[table] = [:]
        try file.forEach("SELECT Z_ENT, COUNT(*) FROM \(table) GROUP BY Z_ENT") { row in
          counts[table]?[row[0].whole] = Int(row[1].whole)
        }
      }
      return Entity(
        name: entity.name,
        number: entity.number,
        parent: entity.parent == 0 ? nil : byNumber[entity.parent]?.name,
        table: table,
        count: table.map { counts[$0]?[entity.number] ?? 0 },
        lastKey: entity.lastKey
      )
    }
  }

  private static func joins(
    _ file: StoreFile,
    _ schema: StoredSchema,
    _ entities: [Entity]
  ) throws -> [(name: String, count: Int)] {
    try schema.columns.keys.sorted(by: utf8Less)
      .filter { $0.hasPrefix("Z_") && $0.dropFirst(2).first?.isNumber == true }
      .map { ($0, Int(try file.integer("SELECT COUNT(*) FROM \"\($0)\"") ?? 0)) }
  }

  private static func sizes(_ path: String) -> [(name: String, bytes: Int)] {
    let name = (path as NSString).lastPathComponent
    // A symbolic link is resolved, because the link has a size of its own, and the side files are beside the
    // linked file.
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return ["", "-wal", "-shm", "-journal"].compactMap { suffix in
      // The error is dropped: a file that does not exist is left out.
      let values = try? FileManager.default.attributesOfItem(atPath: path + suffix)
      return (values?[.size] as? NSNumber).map { (name + suffix, $0.intValue) }
    }
  }

  private static func journal(of path: String) -> String {
    guard let file = FileHandle(forReadingAtPath: path) else { return "unknown" }
    // The error is dropped, because the file was only read.
    defer { try? file.close() }
    // The error is dropped, because the journal mode is for display only.
    let header = Array((try? file.read(upToCount: 20)) ?? Data())
    return header.count == 20 && header[19] == 2 ? "write-ahead log" : "rollback journal"
  }

  /// The number of objects of all entities; an entity whose table is missing counts as 0.
  package var count: Int { entities.reduce(0) { $0 + ($1.count ?? 0) } }
}
