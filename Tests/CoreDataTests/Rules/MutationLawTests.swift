// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Random edits of a graph with every kind of relationship, through every way to change one: inverses
/// always agree, no link is dead, and what was saved comes back in another context and after faulting.
@Suite struct MutationLawTests {
  @Test(
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType],
    lawSeeds(4)
  )
  func inversesAgreeAndComeBack(type: String, seed: UInt64) throws {
    let stack = try LibraryStack(type, model: Web.model())
    let context = stack.context
    var random = RandomSteps(state: seed)
    let edits = WebEdits(context: context, refreshes: true)
    for round in 0..<80 {
      for _ in 0...random.below(5) { try edits.edit(&random) }
      switch random.below(8) {
      case 0: context.rollback()
      case 1: context.processPendingChanges()
      case 2:
        try context.save()
        #expect(try RandomWorld.web.stored(stack) == edits.picture(), "round \(round)")
      case 3:
        try context.save()
        let before = try edits.picture()
        context.refreshAllObjects()
        #expect(try edits.picture() == before, "faulted, round \(round)")
      default: break
      }
      context.processPendingChanges()
      let broken = try edits.disagreements()
      try #require(broken.isEmpty, "round \(round): \(broken)")
      try stack.requireLiveLinks("round \(round)")
    }
  }
}
