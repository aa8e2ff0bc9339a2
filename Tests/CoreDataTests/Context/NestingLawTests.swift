// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The same random edits in a context of a coordinator and in the lowest of nested contexts.
@Suite struct NestingLawTests {
  @Test(
    "Child save then parent save is a direct save",
    arguments: RandomWorld.allCases,
    lawSeeds(8)
  )
  func saves(_ world: RandomWorld, _ seed: UInt64) throws {
    let type = seed % 2 == 0 ? NSInMemoryStoreType : NSSQLiteStoreType
    let direct = try LibraryStack(type, model: world.model())
    let nested = try LibraryStack(type, model: world.model())
    var levels = [nested.context]
    for _ in 0..<(Int(seed) % 3 + 1) {
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = levels.last
      levels.append(child)
    }
    // Transient values last as long as their objects do.
    let keeps = seed % 4 < 2
    for context in levels + [direct.context] { context.retainsRegisteredObjects = keeps }
    var one = RandomSteps(state: seed)
    var other = RandomSteps(state: seed)
    let edits = world.edits(direct.context)
    let mirrored = world.edits(try #require(levels.last))
    for round in 0..<30 {
      for _ in 0..<one.below(6) + 1 { try edits.edit(&one) }
      for _ in 0..<other.below(6) + 1 { try mirrored.edit(&other) }
      let seen = try mirrored.picture(transients: keeps)
      try requireSame(seen, edits.picture(transients: keeps), "round \(round)")
      // How far the changes go up this time.
      let height = one.below(levels.count + 1)
      _ = other.below(levels.count + 1)
      for context in levels.reversed().prefix(height) {
        try context.save()
        #expect(try world.edits(context).disagreements() == [], "round \(round)")
      }
      if height == levels.count {
        try direct.context.save()
        let stored = try world.stored(nested)
        try requireSame(stored, world.stored(direct), "stored, round \(round)")
      }
      for context in levels { #expect(try world.edits(context).disagreements() == []) }
      try nested.requireLiveLinks("nested, round \(round)", in: levels)
      try direct.requireLiveLinks("direct, round \(round)")
    }
    for context in levels.reversed() { try context.save() }
    try direct.context.save()
    try requireSame(world.stored(nested), world.stored(direct), "stored")
  }
}
