// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import CoreData
import Testing

/// Deletions whose delete rules need rows that cannot be read for a while.
@Suite struct UnreadableDeletionTests {
  /// An author with two books, one of which has a tag and chapters.
  private struct World {
    let stack: LibraryStack
    let mine: NSManagedObjectContext
    let author: NSManagedObject
    let book: NSManagedObject

    init() throws {
      stack = try LibraryStack()
      let author = stack.make("Author", ["name": "Ende"])
      let book = stack.make("Book", ["title": "Momo", "author": author])
      _ = stack.make("Book", ["title": "Jim", "author": author])
      _ = stack.make("Tag", ["name": "a", "books": Set([book])])
      _ = stack.make("Chapter", ["name": "1", "book": book])
      try stack.context.save()
      mine = stack.container.newBackgroundContext()
      self.author = try mine.existingObject(with: author.objectID)
      self.book = try mine.existingObject(with: book.objectID)
    }

    /// Renames a table, so that the store cannot read it, or renames it back.
    func run(_ sql: String) throws {
      var database: OpaquePointer?
      defer { sqlite3_close_v2(database) }
      let url = stack.folder.appendingPathComponent("Library.sqlite")
      try #require(sqlite3_open(url.path, &database) == SQLITE_OK)
      // Renaming a table must not change the indexes and triggers of others.
      let statements = "PRAGMA legacy_alter_table = ON; \(sql)"
      try #require(sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK)
    }

    func count(_ entity: String) throws -> Int {
      try stack.container.newBackgroundContext()
        .count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
    }
  }

  @Test(
    "A save throws the read error and keeps the deletion; when rows can be read again, it applies the rules",
    arguments: ["ZBOOK", "ZCHAPTER"]
  )
  func cascade(_ table: String) throws {
    let world = try World()
    try world.run("ALTER TABLE \(table) RENAME TO HIDDEN")
    world.mine.delete(world.author)
    world.mine.processPendingChanges()
    #expect(throws: NSError.self) { try world.mine.save() }
    #expect(throws: NSError.self) { try world.mine.save() }
    #expect(world.author.isDeleted && world.mine.deletedObjects.contains(world.author))
    #expect(world.mine.hasChanges)
    try world.run("ALTER TABLE HIDDEN RENAME TO \(table)")
    #expect(try world.count("Author") == 1 && world.count("Book") == 2)
    try world.mine.save()
    #expect(!world.mine.hasChanges)
    #expect(try world.count("Author") == 0 && world.count("Book") == 0)
    #expect(try world.count("Chapter") == 0 && world.count("Tag") == 1)
  }

  @Test("A rollback forgets a deletion whose rules could not be applied")
  func rollback() throws {
    let world = try World()
    try world.run("ALTER TABLE ZCHAPTER RENAME TO HIDDEN")
    world.mine.delete(world.book)
    #expect(throws: NSError.self) { try world.mine.save() }
    world.mine.rollback()
    #expect(!world.book.isDeleted && !world.mine.hasChanges)
    try world.mine.save()
    try world.run("ALTER TABLE HIDDEN RENAME TO ZCHAPTER")
    world.book.setValue("MOMO", forKey: "title")
    try world.mine.save()
    #expect(try world.count("Book") == 2 && world.count("Chapter") == 1)
  }

  @Test("With deletions that propagate in saves only, the save throws and can be repeated")
  func propagationInSaves() throws {
    let world = try World()
    world.mine.propagatesDeletesAtEndOfEvent = false
    try world.run("ALTER TABLE ZCHAPTER RENAME TO HIDDEN")
    world.mine.delete(world.book)
    world.mine.processPendingChanges()
    #expect(throws: NSError.self) { try world.mine.save() }
    try world.run("ALTER TABLE HIDDEN RENAME TO ZCHAPTER")
    try world.mine.save()
    #expect(try world.count("Book") == 1 && world.count("Chapter") == 0)
  }
}
