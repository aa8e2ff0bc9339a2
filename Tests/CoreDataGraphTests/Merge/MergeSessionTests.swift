// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("Merge sessions")
struct MergeSessionTests {
  private let world: GraphWorld
  private var graph: ObjectGraph { world.graph }

  init() throws { world = try GraphWorld() }

  /// A saved book, changed here, whose row was changed elsewhere.
  private func conflict(_ mine: String, _ theirs: String) throws -> (GraphObject, ChunkRow) {
    let book = try world.insert("Book")
    try world.set(book, name: "base")
    try world.save()
    try world.set(book, name: mine)
    let slot = try world.slot("name", of: book)
    let stored = try world.editRow(book.key) { chunk, row in
      _ = chunk.setValue(row, slot, .text(theirs))
    }
    return (book, stored)
  }

  @Test(
    "A resolution gives the object the rule's value and the row's version",
    arguments: [(MergeRule.objectTrump, "mine"), (.storeTrump, "theirs"), (.rollback, "theirs")]
  )
  func resolution(_ rule: MergeRule, _ expected: String) throws {
    let (book, stored) = try conflict("mine", "theirs")
    graph.beginMerge()
    try graph.merging.resolve(book, stored: stored, by: rule)
    graph.endMerge()
    #expect(try world.name(of: book) == expected)
    #expect(graph.expectedVersion(book) == stored.chunk.version(stored.row))
    #expect(graph.updated.isEmpty == (expected == "theirs"))
  }

  @Test("A session that is reverted leaves every object as it was when the session began")
  func revert() throws {
    let (book, stored) = try conflict("mine", "theirs")
    let fresh = try world.insert("Book")
    let version = graph.expectedVersion(book)
    graph.beginMerge()
    try graph.merging.resolve(book, stored: stored, by: .rollback)
    graph.delete(fresh)
    graph.propagateDeletions()
    graph.revertMerge()
    #expect(try world.name(of: book) == "mine")
    #expect(graph.expectedVersion(book) == version)
    #expect(graph.updated.map(\.key) == [book.key] && graph.inserted.map(\.key) == [fresh.key])
    #expect(graph.deleted.isEmpty)
  }

  @Test("The second attempt of a save goes on in the same session and reads rows again")
  func attempts() throws {
    let (book, stored) = try conflict("mine", "theirs")
    graph.beginMerge()
    let first = graph.merging
    try first.readNewest(around: [(book, stored)])
    graph.beginMerge()
    #expect(graph.merging === first)
    graph.endMerge()
    #expect(graph.merging !== first)
  }

  @Test(
    "An object whose row is gone is inserted again or dropped, as the rule says",
    arguments: [(MergeRule.objectTrump, true), (.storeTrump, false)]
  )
  func goneRow(_ rule: MergeRule, _ isInsertedAgain: Bool) throws {
    let (book, _) = try conflict("mine", "theirs")
    world.deleteRow(book.key)
    graph.beginMerge()
    try graph.merging.resolve(book, stored: nil, by: rule)
    graph.endMerge()
    #expect(graph.inserted.map(\.key) == (isInsertedAgain ? [book.key] : []))
    #expect(graph.deleted.map(\.key) == (isInsertedAgain ? [] : [book.key]))
  }

  @Test("Both sides of a one-to-one agree after a merge, whatever was resolved object by object")
  func pairs() throws {
    let (mine, theirs) = (try world.insert("Book"), try world.insert("Book"))
    let card = try world.insert("Card")
    try world.save()
    try world.link(mine, "card", to: card)
    let slot = try world.slot("book", of: card)
    let back = try world.slot("card", of: theirs)
    let stored = try world.editRow(card.key) { $0.setKey($1, slot, theirs.key) }
    _ = try world.editRow(theirs.key) { $0.setKey($1, back, card.key) }
    graph.beginMerge()
    let session = graph.merging
    try session.readNewest(around: [(card, stored)])
    try session.resolve(card, stored: stored, by: .objectTrump)
    try session.pairPartners(by: .objectTrump)
    graph.endMerge()
    #expect(try world.destination(of: card, "book") == mine.key)
    #expect(try world.destination(of: mine, "card") == card.key)
    #expect(try world.destination(of: theirs, "card") == nil)
  }
}
