// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("IDs of incremental stores")
struct IncrementalIdentityTests {
  @Test("The URI of an ID contains the reference object, and another coordinator reads it (INC-3)")
  func uri() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    let other = try IncrementalStack(like: stack)
    try stack.context.performAndWait {
      let id = try stack.book("Zauberberg").objectID
      let reference = try #require(
        stack.server.reference(of: "Novel", where: "title", is: "Zauberberg")
      )
      let uri = id.uriRepresentation()
      #expect(
        uri.absoluteString == "x-coredata://\(stack.store.identifier ?? "")/Novel/p\(reference)"
      )
      // The other coordinator has seen the objects in another order.
      let first = other.context.performAndWait { try? other.books().first?.objectID }
      #expect(first != nil)
      let same = try #require(other.coordinator.managedObjectID(forURIRepresentation: uri))
      #expect(same == id && same.hash == id.hash)
      #expect(first != id)
      try other.context.performAndWait { () throws -> Void in
        #expect(
          try other.context.existingObject(with: id).value(forKey: "title") as? String
            == "Zauberberg"
        )
      }
    }
  }

  @Test(
    "Any reference object comes back from its ID and its URI",
    arguments: ["a/b c", "ä%2F?#", "p", "pp1", "12", "", "x/../y", "💡"]
  )
  func texts(_ text: String) throws {
    let stack = try IncrementalStack()
    let store = try #require(stack.store as? TableStore)
    let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Book"])
    let id = store.newObjectID(for: entity, referenceObject: text)
    #expect(store.referenceObject(for: id) as? String == text)
    #expect(store.newObjectID(for: entity, referenceObject: text) == id)
    let uri = id.uriRepresentation()
    #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == id)
    let other = try IncrementalStack(like: stack)
    let there = try #require(other.coordinator.managedObjectID(forURIRepresentation: uri))
    let reference = try #require(other.store as? TableStore).referenceObject(for: there)
    #expect("\(reference)" == text)
  }

  @Test("Numbers, data and UUIDs are reference objects too")
  func kinds() throws {
    let stack = try IncrementalStack()
    let store = try #require(stack.store as? TableStore)
    let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Tag"])
    let number = store.newObjectID(for: entity, referenceObject: NSNumber(value: 42))
    #expect(number.uriRepresentation().lastPathComponent == "p42")
    #expect(store.referenceObject(for: number) as? Int == 42)
    let read = try #require(
      stack.coordinator.managedObjectID(
        forURIRepresentation: number.uriRepresentation().deletingLastPathComponent()
          .appendingPathComponent("p43")
      )
    )
    #expect(store.referenceObject(for: read) as? Int == 43)
    let data = store.newObjectID(for: entity, referenceObject: Data([0, 255]))
    #expect(data.uriRepresentation().lastPathComponent == "p00ff")
    #expect(store.referenceObject(for: data) as? Data == Data([0, 255]))
    let uuid = UUID()
    let unique = store.newObjectID(for: entity, referenceObject: uuid)
    #expect(unique.uriRepresentation().lastPathComponent == "p\(uuid.uuidString)")
    #expect(Set([number, read, data, unique]).count == 4)
  }

  @Test("An object of a hierarchy has one identity, whichever entity its ID names")
  func hierarchy() throws {
    let stack = try IncrementalStack()
    let store = try #require(stack.store as? TableStore)
    let entities = stack.coordinator.managedObjectModel.entitiesByName
    let book = store.newObjectID(for: try #require(entities["Book"]), referenceObject: "7")
    let novel = store.newObjectID(for: try #require(entities["Novel"]), referenceObject: "7")
    let tag = store.newObjectID(for: try #require(entities["Tag"]), referenceObject: "7")
    #expect(book == novel)
    #expect(book != tag)
    #expect(novel.entity.name == "Novel")
  }
}
