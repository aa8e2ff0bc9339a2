// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The same random edits in a context of a coordinator and in the lowest of nested contexts.
@Suite struct NestingLawTests {
  @Test(
    "Child save then parent save is a direct save",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType],
    [1, 2, 3, 4, 5, 6] as [UInt64]
  )
  func saves(_ type: String, _ seed: UInt64) throws {
    let direct = try LibraryStack(type)
    let nested = try LibraryStack(type)
    var levels = [nested.context]
    for _ in 0..<(Int(seed) % 3 + 1) {
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = levels.last
      levels.append(child)
    }
    var one = RandomSteps(state: seed)
    var other = RandomSteps(state: seed)
    let edits = LibraryEdits(context: direct.context)
    let mirrored = LibraryEdits(context: try #require(levels.last))
    for round in 0..<30 {
      for _ in 0..<one.below(6) + 1 { try edits.edit(&one) }
      for _ in 0..<other.below(6) + 1 { try mirrored.edit(&other) }
      let seen = try mirrored.picture()
      let wished = try edits.picture()
      #expect(
        seen == wished,
        "round \(round): \(Set(seen).symmetricDifference(wished).sorted().joined(separator: "\n"))"
      )
      if seen != wished { return }
      // How far the changes go up this time.
      let height = one.below(levels.count + 1)
      _ = other.below(levels.count + 1)
      for context in levels.reversed().prefix(height) {
        try context.save()
        #expect(try LibraryEdits(context: context).disagreements() == [], "round \(round)")
      }
      if height == levels.count {
        try direct.context.save()
        let stored = try LibraryEdits(context: nested.container.newBackgroundContext()).picture()
        let wanted = try LibraryEdits(context: direct.container.newBackgroundContext()).picture()
        #expect(stored == wanted, "round \(round)")
        if stored != wanted { return }
      }
      for context in levels { #expect(try LibraryEdits(context: context).disagreements() == []) }
    }
    for context in levels.reversed() { try context.save() }
    try direct.context.save()
    #expect(
      try LibraryEdits(context: nested.container.newBackgroundContext()).picture()
        == LibraryEdits(context: direct.container.newBackgroundContext()).picture()
    )
  }
}
