// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("Plan and commit of a save")
struct SavePlanTests {
  private let world: GraphWorld
  private var graph: ObjectGraph { world.graph }

  init() throws { world = try GraphWorld() }

  private func plan() -> SavePlan {
    _ = graph.processPendingChanges()
    return graph.planSave { _ in 0 }
  }

  @Test("A plan has new, changed and deleted objects, each in the order of its first change")
  func groups() throws {
    let books = try (0..<4).map { _ in try world.insert("Book") }
    try world.save()
    try world.set(books[2], name: "b")
    try world.set(books[0], name: "a")
    graph.delete(books[3])
    let fresh = try world.insert("Card")
    let batch = try #require(plan().batches[0])
    #expect(batch.inserts.map(\.key) == [fresh.key])
    #expect(batch.deletes.map(\.key) == [books[3].key])
    #expect(plan().updated.map(\.key) == [books[2].key, books[0].key])
  }

  @Test("Planning changes nothing, and an object that was set to its value is not written")
  func nothing() throws {
    let book = try world.insert("Book")
    try world.set(book, name: "a")
    try world.save()
    try world.set(book, name: "a")
    #expect(plan().batches.isEmpty && plan().updated.map(\.key) == [book.key])
    #expect(graph.updated.map(\.key) == [book.key])
  }

  @Test("A commit gives permanent keys, in relationships too, and leaves nothing unsaved")
  func commit() throws {
    let shelf = try world.insert("Shelf")
    let book = try world.insert("Book")
    try world.link(book, "shelf", to: shelf)
    try world.save()
    #expect(!shelf.key.isTemporary && !book.key.isTemporary && !graph.hasChanges)
    #expect(try world.destination(of: book, "shelf") == shelf.key)
    #expect(try world.members(of: shelf, "books") == [book.key])
    #expect(graph.expectedVersion(book) == 1)
    #expect(try graph.checkInvariants() == [])
    try world.set(book, name: "a")
    try world.save()
    #expect(graph.expectedVersion(book) == 2)
  }

  @Test("After a save in parts the objects of the other stores stay unsaved")
  func parts() throws {
    let books = try (0..<2).map { _ in try world.insert("Book") }
    _ = graph.processPendingChanges()
    let plan = graph.planSave { $0 === books[0] ? 0 : 1 }
    let key = try #require(ObjectKey(store: 0, entity: books[0].key.entity, number: 99))
    graph.commit(plan, keys: [0: [key]], stores: [0])
    #expect(books[0].key == key && graph.inserted.map(\.key) == [books[1].key])
    #expect(books[1].key.isTemporary)
  }
}
