// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("Invariants of a graph")
struct GraphInvariantTests {
  private let world: GraphWorld
  private var graph: ObjectGraph { world.graph }
  private let shelf: GraphObject
  private let book: GraphObject

  /// A saved book on a saved shelf.
  init() throws {
    world = try GraphWorld()
    shelf = try world.insert("Shelf")
    book = try world.insert("Book")
    try world.link(book, "shelf", to: shelf)
    try world.save()
  }

  @Test("A graph is sound after each step of an object's life")
  func sound() throws {
    #expect(try graph.checkInvariants() == [])
    try world.set(book, name: "a")
    let card = try world.insert("Card")
    try world.link(card, "book", to: book)
    #expect(try graph.checkInvariants() == [])
    try world.save()
    graph.delete(book)
    #expect(try graph.checkInvariants(followingLinks: false) == [])
    _ = graph.processPendingChanges()
    #expect(try graph.checkInvariants() == [])
    _ = graph.rollBack()
    graph.turnIntoFault(book)
    #expect(try graph.checkInvariants() == [])
    graph.delete(shelf)
    try world.save()
    #expect(try graph.checkInvariants() == [])
    graph.reset()
    #expect(try graph.checkInvariants() == [])
  }

  /// The one line that the check finds.
  private func line() throws -> String {
    let found = try graph.checkInvariants(followingLinks: false)
    #expect(found.count == 1, "\(found)")
    return found.first ?? ""
  }

  @Test("A flag without its group is found")
  func group() throws {
    book.flags.insert(.updated)
    #expect(try line().contains("in no group"))
  }

  @Test("A flag without its event is found")
  func event() throws {
    book.flags.insert(.updatedInEvent)
    #expect(try line().contains("not in the event"))
  }

  @Test("A row beyond the chunk's rows is found")
  func row() throws {
    let chunk = try #require(book.chunk)
    book.point(at: chunk, row: chunk.count)
    #expect(try line().contains("is outside the chunk's rows"))
  }

  @Test("A realised object without a row is found")
  func noRow() throws {
    book.point(at: nil, row: 0)
    #expect(try line().contains("is not a fault but has no row"))
  }

  @Test("A text that ends beyond the arena is found")
  func arena() throws {
    try world.set(book, name: "abc")
    let slot = try world.slot("name", of: book)
    let chunk = try #require(book.chunk)
    chunk.setWord(book.rowIndex, slot, UInt64(chunk.arenaUsed) << 32 | 1)
    #expect(try line().contains("but the used arena ends at byte"))
  }

  @Test("A to-one to another entity is found")
  func destination() throws {
    let slot = try world.slot("shelf", of: book)
    let chunk = try #require(book.chunk)
    chunk.setKey(book.rowIndex, slot, book.key)
    #expect(try line().contains("shelf leads to an object of Book, which is not in"))
  }

  @Test("A link to a row that is gone is found by following links alone")
  func deadLink() throws {
    world.deleteRow(shelf.key)
    #expect(try graph.checkInvariants(followingLinks: false) == [])
    let found = try graph.checkInvariants()
    #expect(found.count == 1 && found[0].contains("Book.shelf"), "\(found)")
  }

  @Test("A link that the other side does not have is found by following links alone")
  func oneSidedLink() throws {
    #expect(try world.members(of: shelf, "books") == [book.key])
    let chunk = try #require(book.chunk)
    chunk.setNull(book.rowIndex, try world.slot("shelf", of: book))
    #expect(try graph.checkInvariants(followingLinks: false) == [])
    let found = try graph.checkInvariants()
    #expect(found.count == 1 && found[0].contains(", but shelf of "), "\(found)")
  }
}
