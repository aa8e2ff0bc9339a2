// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Classes as the plugin generates them, over the library model.
class BookObject: NSManagedObject, @unchecked Sendable {
  override class var _entityName: String? { "Book" }
  override class var _keyPathNames: [AnyKeyPath: String] {
    [
      \BookObject.title: "title", \BookObject.pages: "pages", \BookObject.price: "price",
      \BookObject.published: "published", \BookObject.isLent: "isLent",
      \BookObject.author: "author", \BookObject.tags: "tags",
    ]
  }
  var title: String? { value(forKey: "title") as? String }
  var pages: Int32 { value(forKey: "pages") as? Int32 ?? 0 }
  var price: Double { value(forKey: "price") as? Double ?? 0 }
  var published: Date? { value(forKey: "published") as? Date }
  var isLent: Bool { value(forKey: "isLent") as? Bool ?? false }
  var author: AuthorObject? { value(forKey: "author") as? AuthorObject }
  var tags: Set<TagObject> { value(forKey: "tags") as? Set<TagObject> ?? [] }
}

final class NovelObject: BookObject, @unchecked Sendable {
  override class var _entityName: String? { "Novel" }
  override class var _keyPathNames: [AnyKeyPath: String] {
    let names: [AnyKeyPath: String] = [
      \NovelObject.title: "title", \NovelObject.author: "author",
    ]
    return super._keyPathNames.merging(names) { _, own in own }
  }
}

final class AuthorObject: NSManagedObject, @unchecked Sendable {
  override class var _entityName: String? { "Author" }
  override class var _keyPathNames: [AnyKeyPath: String] {
    [\AuthorObject.name: "name", \AuthorObject.books: "books"]
  }
  var name: String? { value(forKey: "name") as? String }
  var books: Set<BookObject> { value(forKey: "books") as? Set<BookObject> ?? [] }
}

final class TagObject: NSManagedObject, @unchecked Sendable {
  override class var _entityName: String? { "Tag" }
  override class var _keyPathNames: [AnyKeyPath: String] { [\TagObject.name: "name"] }
  var name: String? { value(forKey: "name") as? String }
}

extension Library {
  /// The library model with these classes.
  static func modelWithClasses() -> NSManagedObjectModel {
    let model = Library.model()
    let names: [String: AnyClass] = [
      "Book": BookObject.self, "Novel": NovelObject.self, "Author": AuthorObject.self,
      "Tag": TagObject.self,
    ]
    for entity in model.entities {
      guard let name = entity.name, let type = names[name] else { continue }
      entity.managedObjectClassName = NSStringFromClass(type)
    }
    return model
  }
}
