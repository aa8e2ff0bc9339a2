// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Children, merges, to-manys and what is asked of a context.
extension GrowthOperation {
  static let children: [GrowthOperation] = [
    GrowthOperation(name: "a child saves new objects") { stage, count in
      let child = stage.another(childOf: stage.context)
      _ = stage.books(count, in: child)
      return { try child.save() }
    },
    GrowthOperation(name: "a child saves changes") { stage, count in
      let child = stage.another(childOf: stage.context)
      for book in try stage.same(try stage.savedBooks(count), in: child) {
        book.setValue(1, forKey: "pages")
      }
      return { try child.save() }
    },
    GrowthOperation(name: "a child deletes unsaved objects of its parent") { stage, count in
      let child = stage.another(childOf: stage.context)
      let books = stage.books(count)
      stage.context.processPendingChanges()
      for book in books { child.delete(child.object(with: book.objectID)) }
      return { try child.save() }
    },
    GrowthOperation(name: "a child deletes stored objects") { stage, count in
      let child = stage.another(childOf: stage.context)
      for book in try stage.same(try stage.savedBooks(count), in: child) { child.delete(book) }
      return { try child.save() }
    },
  ]

  static let merging: [GrowthOperation] = [
    merge("updates", NSUpdatedObjectsKey) { book, _ in book.setValue(1, forKey: "pages") },
    merge("deletions", NSDeletedObjectsKey) { book, _ in book.managedObjectContext?.delete(book) },
    merge("moves", NSUpdatedObjectsKey) { book, author in book.setValue(author, forKey: "author") },
    GrowthOperation(name: "merge insertions") { stage, count in
      let author = stage.author(stage.books(1))
      try stage.context.save()
      let other = stage.another()
      let theirs = try other.existingObject(with: author.objectID)
      _ = theirs.mutableSetValue(forKey: "books").count
      let books = stage.books(count)
      for book in books { book.setValue(author, forKey: "author") }
      try stage.context.save()
      let ids = books.map(\.objectID)
      return {
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [NSInsertedObjectsKey: ids],
          into: [other]
        )
        _ = theirs.mutableSetValue(forKey: "books").count
      }
    },
    GrowthOperation(name: "merge a batch deletion") { stage, count in
      let author = stage.author(stage.books(count))
      try stage.context.save()
      let other = stage.another()
      let theirs = try other.existingObject(with: author.objectID)
      let books = try stage.same(
        theirs.mutableSetValue(forKey: "books").allObjects.compactMap { $0 as? NSManagedObject },
        in: other
      )
      let request = NSBatchDeleteRequest(objectIDs: books.map(\.objectID))
      request.resultType = .resultTypeObjectIDs
      let result = try stage.context.execute(request) as? NSBatchDeleteResult
      let ids = result?.result as? [NSManagedObjectID] ?? []
      return {
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [NSDeletedObjectsKey: ids],
          into: [other]
        )
        withExtendedLifetime(books) { _ = theirs.mutableSetValue(forKey: "books").count }
      }
    },
  ]

  /// What another context does with the members of an owner, merged where they are loaded.
  private static func merge(
    _ name: String,
    _ key: String,
    _ change: @escaping @Sendable (NSManagedObject, NSManagedObject) -> Void
  ) -> GrowthOperation {
    GrowthOperation(name: "merge \(name)") { stage, count in
      let books = stage.books(count)
      let author = stage.author(books)
      let second = stage.author()
      try stage.context.save()
      let other = stage.another()
      let known = try stage.same(books, in: other)
      let theirs = try other.existingObject(with: author.objectID)
      _ = theirs.mutableSetValue(forKey: "books").count
      let ids = books.map(\.objectID)
      for book in books { change(book, second) }
      try stage.context.save()
      return {
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [key: ids], into: [other])
        withExtendedLifetime(known) { _ = theirs.mutableSetValue(forKey: "books").count }
      }
    }
  }

  static let members: [GrowthOperation] = [
    GrowthOperation(name: "first read of a to-many with pending additions") { stage, count in
      let author = stage.author(stage.books(count))
      try stage.context.save()
      let other = stage.another()
      let theirs = try other.existingObject(with: author.objectID)
      for book in stage.books(count, in: other) { book.setValue(theirs, forKey: "author") }
      return { _ = theirs.mutableSetValue(forKey: "books").count }
    },
    GrowthOperation(name: "add to a set and remove") { stage, count in
      let books = stage.books(count)
      let set = stage.author().mutableSetValue(forKey: "books")
      return {
        for book in books { set.add(book) }
        for book in books { set.remove(book) }
      }
    },
    GrowthOperation(name: "remove from a set and add, in turns") { stage, count in
      let books = stage.books(2 * count)
      let set = stage.author(Array(books[..<count])).mutableSetValue(forKey: "books")
      return {
        for (old, new) in zip(books, books[count...]) {
          set.remove(old)
          set.add(new)
        }
      }
    },
    GrowthOperation(name: "leave an owner") { stage, count in
      let books = stage.books(count)
      _ = stage.author(books)
      try stage.context.save()
      return {
        for book in books { book.setValue(nil, forKey: "author") }
        stage.context.processPendingChanges()
      }
    },
    GrowthOperation(name: "add to the end of an ordered set") { stage, count in
      let chapters = stage.make("Chapter", count, "name")
      let set = stage.stack.make("Book").mutableOrderedSetValue(forKey: "chapters")
      return { for chapter in chapters { set.add(chapter) } }
    },
    GrowthOperation(name: "set an ordered set as a whole and save") { stage, count in
      let chapters = stage.make("Chapter", count, "name")
      let book = stage.stack.make("Book")
      return {
        book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
        try stage.context.save()
        book.setValue(NSOrderedSet(array: chapters.reversed()), forKey: "chapters")
        try stage.context.save()
      }
    },
    GrowthOperation(name: "remove from an ordered set") { stage, count in
      let chapters = stage.make("Chapter", count, "name")
      let set = stage.stack.make("Book").mutableOrderedSetValue(forKey: "chapters")
      for chapter in chapters { set.add(chapter) }
      return { for chapter in chapters { set.remove(chapter) } }
    },
  ]

  static let states: [GrowthOperation] = [
    GrowthOperation(name: "ask hasChanges after each change") { stage, count in
      let books = try stage.savedBooks(count)
      return {
        for book in books {
          book.setValue(1, forKey: "pages")
          if !stage.context.hasChanges { return }
        }
      }
    },
    GrowthOperation(name: "process each change") { stage, count in
      let books = try stage.savedBooks(count)
      return {
        for book in books {
          book.setValue(1, forKey: "pages")
          stage.context.processPendingChanges()
        }
      }
    },
    GrowthOperation(name: "fetch with unsaved changes") { stage, count in
      for book in try stage.savedBooks(count) { book.setValue(1, forKey: "pages") }
      _ = stage.books(count)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "pages > 0 OR title != nil")
      request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
      return { _ = try stage.context.fetch(request) }
    },
    GrowthOperation(name: "turn changed objects into faults") { stage, count in
      let books = try stage.savedBooks(count)
      for book in books { book.setValue(1, forKey: "pages") }
      return {
        for book in books where stage.context.hasChanges {
          stage.context.refresh(book, mergeChanges: false)
        }
      }
    },
    GrowthOperation(name: "refresh changed objects") { stage, count in
      let books = try stage.savedBooks(count)
      for book in books { book.setValue(1, forKey: "pages") }
      return { for book in books { stage.context.refresh(book, mergeChanges: true) } }
    },
    GrowthOperation(name: "refresh all objects") { stage, count in
      let books = try stage.savedBooks(2 * count)
      for book in books[count...] { book.setValue(1, forKey: "pages") }
      return { stage.context.refreshAllObjects() }
    },
    GrowthOperation(name: "reset") { stage, count in
      for book in try stage.savedBooks(count) { book.setValue(1, forKey: "pages") }
      let books = stage.books(count)
      return { withExtendedLifetime(books) { stage.context.reset() } }
    },
  ]
}
