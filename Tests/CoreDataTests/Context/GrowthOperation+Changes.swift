// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Deletions, saves, undoing and other changes of one context.
extension GrowthOperation {
  static let deletions: [GrowthOperation] = [
    GrowthOperation(name: "delete new objects") { stage, count in
      let books = stage.books(count)
      stage.context.processPendingChanges()
      return {
        for book in books { stage.context.delete(book) }
        stage.context.processPendingChanges()
      }
    },
    GrowthOperation(name: "delete new objects, asking hasChanges between") { stage, count in
      let books = stage.books(count)
      stage.context.processPendingChanges()
      return {
        for book in books where stage.context.hasChanges {
          stage.context.delete(book)
          stage.context.processPendingChanges()
        }
      }
    },
    GrowthOperation(name: "delete changed objects") { stage, count in
      let books = try stage.savedBooks(count)
      for book in books { book.setValue(1, forKey: "pages") }
      return stage.deleting(books)
    },
    GrowthOperation(name: "delete unchanged objects") { stage, count in
      let books = try stage.savedBooks(count)
      return stage.deleting(books)
    },
    GrowthOperation(name: "cascade from an unsaved owner") { stage, count in
      let author = stage.author(stage.books(count))
      stage.context.processPendingChanges()
      return {
        stage.context.delete(author)
        stage.context.processPendingChanges()
      }
    },
    GrowthOperation(name: "cascade from a saved owner") { stage, count in
      let author = stage.author(stage.books(count))
      try stage.context.save()
      return {
        stage.context.delete(author)
        try stage.context.save()
      }
    },
    GrowthOperation(name: "refuse invalid objects", model: mandatoryTitles) { stage, count in
      let books = stage.books(count)
      for book in books { book.setValue(nil, forKey: "title") }
      return {
        do { try stage.context.save() } catch is CocoaError { return }
      }
    },
  ]

  @Sendable private static func mandatoryTitles() -> NSManagedObjectModel {
    let model = Library.model()
    model.entitiesByName["Book"]?.attributesByName["title"]?.isOptional = false
    return model
  }

  static let saves: [GrowthOperation] =
    [NSSQLiteStoreType, NSInMemoryStoreType].flatMap { type in
      [
        GrowthOperation(name: "insert into \(type)", storeType: type) { stage, count in
          { _ = try stage.savedBooks(count) }
        },
        GrowthOperation(name: "update in \(type)", storeType: type) { stage, count in
          let books = try stage.savedBooks(count)
          return {
            for book in books { book.setValue(1, forKey: "pages") }
            try stage.context.save()
          }
        },
        GrowthOperation(name: "delete members in \(type)", storeType: type) { stage, count in
          let books = stage.books(count)
          _ = stage.author(books)
          try stage.context.save()
          return stage.deleting(books)
        },
        GrowthOperation(name: "move members in \(type)", storeType: type) { stage, count in
          let books = stage.books(count)
          _ = stage.author(books)
          let other = stage.author()
          try stage.context.save()
          return {
            for book in books { book.setValue(other, forKey: "author") }
            try stage.context.save()
          }
        },
        GrowthOperation(name: "link many to many in \(type)", storeType: type) { stage, count in
          let books = try stage.savedBooks(count)
          let tag = stage.stack.make("Tag", ["name": "t"])
          return {
            for book in books { book.mutableSetValue(forKey: "tags").add(tag) }
            try stage.context.save()
            for book in books { book.mutableSetValue(forKey: "tags").remove(tag) }
            try stage.context.save()
          }
        },
      ]
    } + [
      GrowthOperation(name: "upserts that all meet rows", model: codes) { stage, count in
        _ = stage.make("Item", count, "code")
        try stage.context.save()
        let other = stage.another()
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        _ = stage.make("Item", count, "code", in: other)
        return { try other.save() }
      },
      GrowthOperation(name: "conflicts that a policy resolves") { stage, count in
        let books = try stage.savedBooks(count)
        let other = stage.another()
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let theirs = try stage.same(books, in: other)
        for book in books { book.setValue(1, forKey: "pages") }
        try stage.context.save()
        for book in theirs { book.setValue(2, forKey: "pages") }
        return { try other.save() }
      },
      GrowthOperation(name: "detect conflicts") { stage, count in
        let books = try stage.savedBooks(count)
        return {
          for book in books { stage.context.detectConflicts(for: book) }
          try stage.context.save()
        }
      },
      GrowthOperation(name: "obtain permanent IDs") { stage, count in
        let books = stage.books(count)
        return { try stage.context.obtainPermanentIDs(for: books) }
      },
    ]

  @Sendable private static func codes() -> NSManagedObjectModel {
    let code = NSAttributeDescription()
    code.name = "code"
    code.attributeType = .stringAttributeType
    let item = NSEntityDescription()
    item.name = "Item"
    item.properties = [code]
    item.uniquenessConstraints = [["code"]]
    let model = NSManagedObjectModel()
    model.entities = [item]
    return model
  }

  static let undoing: [GrowthOperation] = [
    GrowthOperation(name: "undo and redo insertions") { stage, count in
      stage.context.undoManager = UndoManager()
      _ = stage.books(count)
      return stage.undoingTwice()
    },
    GrowthOperation(name: "undo and redo deletions") { stage, count in
      let books = try stage.savedBooks(count)
      stage.context.undoManager = UndoManager()
      for book in books { stage.context.delete(book) }
      return stage.undoingTwice()
    },
    GrowthOperation(name: "undo many groups") { stage, count in
      let books = try stage.savedBooks(count)
      let manager = UndoManager()
      manager.groupsByEvent = false
      stage.context.undoManager = manager
      return {
        for book in books {
          manager.beginUndoGrouping()
          book.setValue(1, forKey: "pages")
          stage.context.processPendingChanges()
          manager.endUndoGrouping()
        }
        for _ in books { stage.context.undo() }
      }
    },
    GrowthOperation(name: "roll back") { stage, count in
      let books = try stage.savedBooks(count)
      _ = stage.books(count)
      for (index, book) in books.enumerated() {
        if index.isMultiple(of: 2) {
          book.setValue(1, forKey: "pages")
        } else {
          stage.context.delete(book)
        }
      }
      return { stage.context.rollback() }
    },
  ]
}

extension GrowthStage {
  /// Ends the event, and returns the work that undoes it, redoes it and undoes it again.
  fileprivate func undoingTwice() -> () -> Void {
    context.processPendingChanges()
    return { [self] in
      context.undo()
      context.redo()
      context.undo()
      context.processPendingChanges()
    }
  }

  /// Returns the work that deletes the objects and saves.
  fileprivate func deleting(_ objects: [NSManagedObject]) -> () throws -> Void {
    { [self] in
      for object in objects { context.delete(object) }
      try context.save()
    }
  }
}
