// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Random edits, undone and redone: each undo leads to the very picture before its group, transient
/// values included, each redo to the one after it, and what is saved then is what is shown.
@Suite struct UndoLawTests {
  @Test(
    "Undo leads to the moment before, redo to the one after",
    arguments: RandomWorld.allCases,
    lawSeeds(4)
  )
  func identity(_ world: RandomWorld, _ seed: UInt64) throws {
    try check(world, seed, saving: false)
  }

  @Test(
    "The same across saves: what was saved is undone in the context and, saved again, in the store",
    arguments: RandomWorld.allCases,
    lawSeeds(4)
  )
  func acrossSaves(_ world: RandomWorld, _ seed: UInt64) throws {
    try check(world, seed, saving: true)
  }

  private func check(_ world: RandomWorld, _ seed: UInt64, saving: Bool) throws {
    var random = RandomSteps(state: seed)
    let type = seed % 3 == 0 ? NSInMemoryStoreType : NSSQLiteStoreType
    let stack = try LibraryStack(type, model: world.model())
    let context = stack.context
    let edits = world.edits(context)
    for _ in 0..<25 { try edits.edit(&random, prefix: "n", deleting: false) }
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    // Moments in the order of their groups, and which of them is shown.
    var pictures = [try edits.picture(transients: true)]
    var shown = 0
    for round in 0..<70 {
      switch random.below(saving ? 8 : 6) {
      case 0...2:
        manager.beginUndoGrouping()
        for _ in 0...random.below(4) { try edits.edit(&random) }
        // So that no group is empty: one without a change leaves nothing to undo.
        stack.make(world.freeEntity).setValue("round \(round)", forKey: "name")
        context.processPendingChanges()
        manager.endUndoGrouping()
        pictures = Array(pictures[...shown]) + [try edits.picture(transients: true)]
        shown += 1
      case 3, 4:
        #expect(manager.canUndo == (shown > 0), "round \(round)")
        if shown > 0 { shown -= 1 }
        context.undo()
      case 5:
        #expect(manager.canRedo == (shown < pictures.count - 1), "round \(round)")
        if shown < pictures.count - 1 { shown += 1 }
        context.redo()
      case 6: try context.save()
      default:
        try context.save()
        try requireSame(world.stored(stack), edits.picture(), "stored, round \(round)")
      }
      let now = try edits.picture(transients: true)
      try requireSame(now, pictures[shown], "round \(round)")
      try #require(try edits.disagreements() == [], "round \(round)")
      try stack.requireLiveLinks("round \(round)")
    }
    while manager.canUndo { context.undo() }
    try requireSame(edits.picture(transients: true), pictures[0], "undone")
    try context.save()
    try requireSame(world.stored(stack), edits.picture(), "stored")
    try stack.requireLiveLinks("undone")
    while manager.canRedo { context.redo() }
    try requireSame(edits.picture(transients: true), pictures[pictures.count - 1], "redone")
    try context.save()
    try requireSame(world.stored(stack), edits.picture(), "stored")
    try stack.requireLiveLinks("redone")
  }
}
