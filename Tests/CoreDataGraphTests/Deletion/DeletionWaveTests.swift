// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("Deletion waves")
struct DeletionWaveTests {
  private let world: GraphWorld
  private var graph: ObjectGraph { world.graph }

  init() throws { world = try GraphWorld() }

  /// A saved shelf with so many books, each with a card; nothing of it is registered afterwards.
  private func shelf(_ count: Int) throws -> ObjectKey {
    let shelf = try world.insert("Shelf")
    for _ in 0..<count {
      let book = try world.insert("Book")
      try world.link(book, "shelf", to: shelf)
      try world.link(book, "card", to: try world.insert("Card"))
    }
    try world.save()
    let key = shelf.key
    graph.reset()
    return key
  }

  @Test("A cascade deletes in a round of its own, and its own rules empty the inverses")
  func cascade() throws {
    let shelf = graph.object(for: try shelf(3))
    graph.delete(shelf)
    let wave = graph.propagateDeletions()
    #expect(wave.rounds == 2 && wave.objectCount == 4)
    #expect(graph.deleted.count == 4)
    let cards = graph.updated
    #expect(cards.count == 3)
    for card in cards { #expect(try world.destination(of: card, "book") == nil) }
    try world.save()
    #expect(world.storedKeys.count == 3)
  }

  @Test("A wave runs as many statements for many objects as for few")
  func statements() throws {
    var counts: [Int] = []
    for size in [2, 4, 8] {
      let shelf = graph.object(for: try shelf(size))
      graph.delete(shelf)
      let before = world.statements
      graph.propagateDeletions()
      counts.append(world.statements - before)
      try world.save()
      graph.reset()
    }
    #expect(Set(counts).count == 1 && counts[0] < 12, "\(counts)")
  }

  @Test("Each deleted object is prepared once, and a second wave has nothing to do")
  func once() throws {
    let shelf = graph.object(for: try shelf(2))
    graph.delete(shelf)
    graph.propagateDeletions()
    #expect(world.preparedForDeletion.count == 3)
    #expect(Set(world.preparedForDeletion).count == 3)
    let second = graph.propagateDeletions()
    #expect(second.rounds == 0 && second.objectCount == 0)
  }

  @Test("An object that is no longer deleted when the wave begins is left alone")
  func revived() throws {
    let shelf = graph.object(for: try shelf(1))
    graph.delete(shelf)
    _ = graph.rollBack()
    #expect(graph.propagateDeletions().objectCount == 0)
    #expect(!graph.hasChanges)
  }
}
