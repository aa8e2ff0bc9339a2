// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The check of files that laws end their rounds with: it can fail, whatever kind of link is broken.
@Suite("Links in files, by plain SQL")
struct ForeignKeysTests {
  @Test(
    "Every column of keys is watched: of to-ones, of many-to-manys, of to-manys without inverse"
  )
  func columns() throws {
    let stack = try LibraryStack(model: Web.model())
    let keys = try #require(try stack.foreignKeys)
    let names = keys.columns.map { column in
      "\(column.table) \(column.name)".replacing(/\d/, with: "") + " → \(column.destination)"
    }
    #expect(
      Set(names) == [
        "ZNODE ZPARENT → ZNODE", "ZNODE ZNEXT → ZNODE", "ZNODE ZPREVIOUS → ZNODE",
        "ZNODE ZSPOUSE → ZNODE", "ZNODE ZFAVOURITE → ZTHING", "ZNODE ZCLUB → ZGROUP",
        "ZTHING ZOWNER → ZNODE", "ZTHING ZLIKES → ZNODE", "Z_FRIENDS Z_FRIENDS → ZNODE",
        "Z_MEMBERS Z_MEMBERS → ZNODE", "Z_MEMBERS Z_GROUPS → ZGROUP",
      ]
    )
    // Both columns of friends, whose inverse it is itself.
    #expect(names.count == 12)
  }

  @Test("A key without its row is reported with its table and column, and no other is")
  func broken() throws {
    let stack = try LibraryStack(model: Web.model())
    let nodes = (0..<2).map { _ in stack.make("Leaf") }
    let (thing, group) = (stack.make("Thing"), stack.make("Group"))
    for key in ["parent", "next", "spouse"] { nodes[0].setValue(nodes[1], forKey: key) }
    nodes[0].mutableSetValue(forKey: "friends").add(nodes[1])
    nodes[0].mutableOrderedSetValue(forKey: "items").add(thing)
    nodes[0].mutableSetValue(forKey: "likes").add(thing)
    nodes[0].setValue(thing, forKey: "favourite")
    nodes[0].mutableSetValue(forKey: "groups").add(group)
    nodes[0].setValue(group, forKey: "club")
    try stack.context.save()
    let keys = try #require(try stack.foreignKeys)
    try stack.requireLiveLinks("before")
    let file = SQLFile(url: try #require(try stack.store.url))
    for column in keys.columns {
      let (table, name) = (column.table, column.name)
      try file.run(
        "CREATE TABLE KEPT AS SELECT rowid AS N, \(name) AS K FROM \(table);"
          + "UPDATE \(table) SET \(name) = 99 + rowid WHERE \(name) IS NOT NULL;"
      )
      let found = keys.broken()
      #expect(!found.isEmpty)
      #expect(found.allSatisfy { $0.hasPrefix("\(table).\(name) leads to ") }, "\(found)")
      try file.run(
        "UPDATE \(table) SET \(name) = (SELECT K FROM KEPT WHERE N = \(table).rowid);"
          + "DROP TABLE KEPT;"
      )
    }
    #expect(keys.broken() == [])
  }
}
