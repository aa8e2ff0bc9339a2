// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Something that is done with a number of objects, for the law of growth.
struct GrowthOperation: Sendable, CustomTestStringConvertible {
  let name: String
  var storeType = NSSQLiteStoreType
  var model: @Sendable () -> NSManagedObjectModel = { Library.model() }
  /// Makes so many objects ready; what it returns is counted.
  let prepare: @Sendable (GrowthStage, Int) throws -> () throws -> Void

  var testDescription: String { name }

  static var all: [GrowthOperation] {
    deletions + saves + undoing + children + merging + members + states
  }
}

/// A stack for one operation, with the contexts that it makes.
final class GrowthStage {
  let stack: LibraryStack
  private var contexts: [NSManagedObjectContext] = []

  init(_ model: NSManagedObjectModel, _ type: String) throws {
    stack = try LibraryStack(type, model: model)
  }

  var context: NSManagedObjectContext { stack.context }

  /// Another context of the stack, or a child.
  func another(childOf parent: NSManagedObjectContext? = nil) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    if let parent {
      context.parent = parent
    } else {
      context.persistentStoreCoordinator = stack.container.persistentStoreCoordinator
    }
    contexts.append(context)
    return context
  }

  /// New objects of an entity, with a value each.
  func make(
    _ entity: String,
    _ count: Int,
    _ key: String,
    in context: NSManagedObjectContext? = nil
  ) -> [NSManagedObject] {
    (0..<count).map { number in
      let object = NSEntityDescription.insertNewObject(
        forEntityName: entity,
        into: context ?? self.context
      )
      object.setValue("\(number)", forKey: key)
      return object
    }
  }

  func books(_ count: Int, in context: NSManagedObjectContext? = nil) -> [NSManagedObject] {
    make("Book", count, "title", in: context)
  }

  func savedBooks(_ count: Int) throws -> [NSManagedObject] {
    let books = books(count)
    try context.save()
    return books
  }

  /// An author, alone or with books.
  func author(_ books: [NSManagedObject] = []) -> NSManagedObject {
    let author = stack.make("Author", ["name": "a"])
    for book in books { book.setValue(author, forKey: "author") }
    return author
  }

  /// The same objects in another context, realised.
  func same(
    _ objects: [NSManagedObject],
    in other: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let objects = try objects.map { try other.existingObject(with: $0.objectID) }
    for object in objects { object.willAccessValue(forKey: nil) }
    return objects
  }
}
