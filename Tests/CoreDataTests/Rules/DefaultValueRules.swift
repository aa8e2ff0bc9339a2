// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What a model's default values are given to: new objects, and the transient attributes of objects that
/// come from a store.
@Suite("Rules of default values (behaviour.md MOD-7, MO-1, MO-20)")
struct DefaultValueRules {
  /// Posts with a transient attribute of every kind that a default can have.
  private func model(tags: Any? = nil) -> NSManagedObjectModel {
    let post = Web.entity(
      "Post",
      attributes: [
        Web.attribute("title", .stringAttributeType),
        Web.attribute("isShown", .booleanAttributeType, isTransient: true),
        Web.attribute("draft", .stringAttributeType, isTransient: true),
        Web.attribute("marks", .undefinedAttributeType, isTransient: true),
        Web.attribute("count", .integer32AttributeType, isTransient: true),
        Web.attribute("tags", .transformableAttributeType),
      ]
    )
    let attributes = post.attributesByName
    attributes["isShown"]?.defaultValue = true
    attributes["isShown"]?.isOptional = false
    attributes["draft"]?.defaultValue = "empty"
    attributes["draft"]?.isOptional = false
    attributes["marks"]?.defaultValue = ["a", "b"] as NSArray
    attributes["tags"]?.defaultValue = tags
    let model = NSManagedObjectModel()
    model.entities = [post]
    return model
  }

  private func summary(_ post: NSManagedObject) -> [String] {
    ["isShown", "draft", "marks", "count"].map { key in
      switch post.value(forKey: key) {
      case let texts as [String]: texts.joined(separator: "+")
      case let value?: "\(value)"
      case nil: "nil"
      }
    }
  }

  private let defaults = ["1", "empty", "a+b", "nil"]

  @Test(
    "A fault that is filled has the default values of its transient attributes",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType]
  )
  func faults(type: String) throws {
    let stack = try LibraryStack(type, model: model())
    let new = stack.make("Post", ["title": "a"])
    #expect(summary(new).map { $0 == "true" ? "1" : $0 } == defaults)
    new.setValue(false, forKey: "isShown")
    new.setValue("written", forKey: "draft")
    try stack.context.save()
    let post = try #require(stack.reread("Post").first)
    #expect(summary(post) == defaults)
    #expect(!post.hasChanges && post.changedValues().isEmpty)
    let id = post.objectID
    let other = stack.container.newBackgroundContext()
    #expect(summary(try other.existingObject(with: id)) == defaults, "a fault that fires alone")
  }

  @Test("Mandatory transient attributes with a default let stored objects be saved")
  func update() throws {
    let stack = try LibraryStack(model: model())
    for number in 0..<40 { _ = stack.make("Post", ["title": "\(number)"]) }
    try stack.context.save()
    let context = stack.container.newBackgroundContext()
    for post in try stack.reread("Post", in: context) {
      post.setValue("new", forKey: "title")
    }
    try context.save()
    #expect(Set(try stack.texts("Post", "title")) == ["new"])
  }

  @Test("A refresh that merges keeps transient values; one that does not gives the defaults again")
  func refresh() throws {
    let stack = try LibraryStack(model: model())
    _ = stack.make("Post", ["title": "a"])
    try stack.context.save()
    let context = stack.container.newBackgroundContext()
    let post = try #require(stack.reread("Post", in: context).first)
    post.setValue("written", forKey: "draft")
    post.setValue(3, forKey: "count")
    try context.save()
    context.refresh(post, mergeChanges: true)
    #expect(post.text("draft") == "written" && post.int("count") == 3)
    #expect(post.value(forKey: "isShown") as? Bool == true)
    post.setValue("b", forKey: "title")
    context.rollback()
    #expect(post.value(forKey: "isShown") as? Bool == true && post.text("title") == "a")
    context.refresh(post, mergeChanges: false)
    #expect(summary(post) == defaults)
  }

  @Test("A child's fault takes what the parent has, else the default")
  func child() throws {
    let stack = try LibraryStack(model: model())
    _ = stack.make("Post", ["title": "a"])
    try stack.context.save()
    let context = stack.container.newBackgroundContext()
    let child = NSManagedObjectContext(.privateQueue)
    child.parent = context
    let id = try #require(stack.reread("Post").first).objectID
    #expect(summary(try child.existingObject(with: id)) == defaults)
    let post = try context.existingObject(with: id)
    post.setValue("parent's", forKey: "draft")
    post.setValue(["z"], forKey: "marks")
    child.reset()
    let seen = try child.existingObject(with: id)
    #expect(seen.text("draft") == "parent's" && summary(seen)[2] == "z")
  }

  @Test("A new object has the default value of a transformable attribute, the model's own object")
  func transformable() throws {
    let tags = ["x", "y"] as NSArray
    let stack = try LibraryStack(model: model(tags: tags))
    let post = stack.make("Post", ["title": "a"])
    #expect(post.value(forKey: "tags") as AnyObject? === tags)
    #expect(post.changedValues().keys.sorted() == ["title"])
    let alone = NSManagedObject(entity: post.entity, insertInto: nil)
    #expect(alone.value(forKey: "tags") as AnyObject? === tags)
    alone.setValue(nil, forKey: "tags")
    stack.context.insert(alone)
    #expect(alone.value(forKey: "tags") == nil, "what was set before stays")
    try stack.context.save()
    let stored = try stack.reread("Post").map { ($0.value(forKey: "tags") as? [String]) ?? [] }
    #expect(stored.sorted { $0.count < $1.count } == [[], ["x", "y"]])
    _ = try stack.insert("Post", [["title": "batch"]])
    let batch = try #require(stack.reread("Post").first { $0.text("title") == "batch" })
    #expect(batch.value(forKey: "tags") as? [String] == ["x", "y"])
  }
}
