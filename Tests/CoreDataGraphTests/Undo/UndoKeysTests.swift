// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("Keys of undo steps")
struct UndoKeysTests {
  /// Inserts and saves an object in each of `count` rounds and keeps the last few steps.
  private func keptKeys(_ count: Int, keeping: Int) throws -> Int {
    let world = try GraphWorld()
    world.graph.recordsUndo = true
    var steps: [UndoStep] = []
    for _ in 0..<count {
      _ = try world.insert("Book")
      _ = world.graph.processPendingChanges()
      if let step = world.graph.finishUndoStep() { steps.append(step) }
      if steps.count > keeping { steps.removeFirst() }
      try world.save()
    }
    return world.graph.replacedKeyCount
  }

  @Test("Keys that no kept step knows are forgotten")
  func bounded() throws {
    let counts = try [200, 400, 800].map { try keptKeys($0, keeping: 5) }
    #expect(counts.allSatisfy { $0 <= 80 }, "\(counts)")
  }

  @Test("A step that was made before a save finds its objects after many others")
  func keptStep() throws {
    let world = try GraphWorld()
    world.graph.recordsUndo = true
    let shelf = try world.insert("Shelf")
    let book = try world.insert("Book")
    _ = world.graph.processPendingChanges()
    _ = world.graph.finishUndoStep()
    try world.link(book, "shelf", to: shelf)
    _ = world.graph.processPendingChanges()
    _ = world.graph.finishUndoStep()
    try world.link(book, "shelf", to: nil)
    _ = world.graph.processPendingChanges()
    let step = try #require(world.graph.finishUndoStep())
    for _ in 0..<200 {
      _ = try world.insert("Book")
      _ = world.graph.processPendingChanges()
      _ = world.graph.finishUndoStep()
      try world.save()
    }
    #expect(!shelf.key.isTemporary)
    _ = world.graph.undo(step)
    #expect(try world.destination(of: book, "shelf") == shelf.key)
    #expect(try world.members(of: shelf, "books") == [book.key])
  }
}
