// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("Whether the members of a to-many are loaded")
struct LoadedMembersTests {
  @Test("The question allocates nothing for a fault, and reads no row")
  func question() throws {
    let world = try GraphWorld()
    let shelf = try world.insert("Shelf")
    try world.link(try world.insert("Book"), "shelf", to: shelf)
    try world.save()
    world.graph.turnIntoFault(shelf)
    let slot = try world.slot("books", of: shelf)
    let statements = world.statements
    #expect(shelf.detail == nil)
    #expect(!world.graph.isLoaded(shelf, slot: slot) && world.graph.isUntouched(shelf, slot: slot))
    #expect(shelf.detail == nil && world.statements == statements)
    #expect(try world.members(of: shelf, "books").count == 1)
    #expect(world.graph.isLoaded(shelf, slot: slot))
  }
}
