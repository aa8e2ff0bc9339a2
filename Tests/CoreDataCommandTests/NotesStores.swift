// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite

/// Stores of old versions of the example Notes, with its model and mapping models beside them.
struct NotesStores {
  private static let example = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/Sources/Notes")
  let folder: URL
  var model: URL { folder.appendingPathComponent("Notes.xcdatamodeld") }

  /// Copies the model and the mapping models into a folder.
  init(in folder: URL) throws {
    self.folder = folder
    for name in [
      "Notes.xcdatamodeld", "Notes2ToNotes3.xcmappingmodel", "Notes3ToNotes4.xcmappingmodel",
    ] {
      try FileManager.default.copyItem(
        at: Self.example.appendingPathComponent(name),
        to: folder.appendingPathComponent(name)
      )
    }
  }

  /// Creates a store of a version with rows; returns its path.
  private func store(
    _ name: String,
    _ version: String,
    _ statements: [String]
  ) throws -> String {
    let contents = model.appendingPathComponent("\(version).xcdatamodel/contents")
    let definition = try ModelDefinition(ModelFile.draft(at: contents))
    let path = folder.appendingPathComponent(name).path
    try SQLiteStore(model: definition, index: 0, options: SQLiteStoreOptions(path: path)).close()
    let file = try StoreFile(path: path, access: .readWrite)
    for statement in statements { _ = try file.execute(statement) }
    return path
  }

  /// Two notes of “Notes 2”, one of them with a text and a folder.
  func notes2(_ name: String) throws -> String {
    try store(
      name,
      "Notes 2",
      [
        "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZISPINNED, ZTITLE, ZTEXT, ZFOLDERNAME) "
          + "VALUES (1, 1, 1, 1, 'Shopping', 'Milk', 'Home'), (2, 1, 1, 0, 'Idea', NULL, NULL)",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Note'",
      ]
    )
  }

  /// A note of “Notes 3” with a folder.
  func notes3(_ name: String) throws -> String {
    try store(
      name,
      "Notes 3",
      [
        "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZISPINNED, ZTITLE, ZFOLDERNAME) "
          + "SELECT 1, Z_ENT, 1, 0, 'Idea', 'Home' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note'",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Note'",
      ]
    )
  }
}
