// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Objects made where several copies of a model are in use, and in functions that know no class.
@Suite struct ModelCopiesTests {
  @Test("An entity of another copy of the model makes an object of the context's own model")
  func entityOfAnotherCopy() throws {
    let (mine, other) = (try LibraryStack(), try LibraryStack())
    let entity = try #require(other.container.managedObjectModel.entitiesByName["Tag"])
    let tag = NSManagedObject(entity: entity, insertInto: mine.context)
    tag.setValue("red", forKey: "name")
    try mine.context.save()
    #expect(tag.entity === mine.container.managedObjectModel.entitiesByName["Tag"])
    #expect(try mine.reread("Tag").count == 1)
    #expect(try other.reread("Tag").isEmpty)
  }

  private func make<T: NSManagedObject>(_ type: T.Type, in context: NSManagedObjectContext) -> T {
    T(context: context)
  }

  @Test("A function that is generic in the class makes objects of it")
  func genericClass() throws {
    let web = try WebStack()
    let node = make(Node.self, in: web.context)
    #expect(node.entity.name == "Node" && node.isInserted)
  }
}
