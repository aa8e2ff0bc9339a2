// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Random edits of a library, undone and redone.
@Suite struct UndoLawTests {
  @Test(
    "Undo then redo changes nothing, and undoing all leads back to the start",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType],
    [1, 2, 3, 4, 5] as [UInt64]
  )
  func identity(_ type: String, _ seed: UInt64) throws {
    try check(type, seed, saving: false)
  }

  @Test(
    "The same across saves: what was saved is undone in the context and, saved again, in the store",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType],
    [11, 12, 13, 14, 15] as [UInt64]
  )
  func acrossSaves(_ type: String, _ seed: UInt64) throws {
    try check(type, seed, saving: true)
  }

  private func check(_ type: String, _ seed: UInt64, saving: Bool) throws {
    var random = RandomSteps(state: seed)
    let stack = try LibraryStack(type)
    let edits = LibraryEdits(context: stack.context)
    for _ in 0..<25 { try edits.edit(&random, deleting: false) }
    try stack.context.save()
    let manager = UndoManager()
    stack.context.undoManager = manager
    var pictures = [try edits.picture()]
    for round in 0..<40 {
      for _ in 0..<random.below(3) + 1 { try edits.edit(&random) }
      stack.context.processPendingChanges()
      let now = try edits.picture()
      pictures.append(now)
      if saving && random.below(3) == 0 { try stack.context.save() }
      guard random.below(3) == 0 else { continue }
      // Fetches of the edits end events of their own, so count by looking.
      stack.context.undo()
      #expect(try edits.disagreements() == [], "round \(round)")
      stack.context.redo()
      #expect(try edits.picture() == now, "round \(round)")
    }
    let end = try edits.picture()
    var steps = 0
    while manager.canUndo {
      stack.context.undo()
      steps += 1
      if saving && random.below(4) == 0 { try stack.context.save() }
    }
    #expect(steps >= 10)
    let back = try edits.picture()
    #expect(
      back == pictures[0],
      "\(Set(back).symmetricDifference(pictures[0]).sorted().joined(separator: "\n"))"
    )
    try stack.context.save()
    #expect(
      try LibraryEdits(context: stack.container.newBackgroundContext()).picture() == pictures[0]
    )
    while manager.canRedo { stack.context.redo() }
    #expect(try edits.picture() == end)
    try stack.context.save()
    #expect(try LibraryEdits(context: stack.container.newBackgroundContext()).picture() == end)
  }
}
