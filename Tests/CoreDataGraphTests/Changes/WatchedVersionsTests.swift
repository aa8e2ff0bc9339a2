// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph

@Suite("Watched versions")
struct WatchedVersionsTests {
  @Test("An object is watched once, in the order of the first call, until all are removed")
  func order() throws {
    let world = try GraphWorld()
    let books = try (0..<3).map { _ in try world.insert("Book") }
    var watched = WatchedVersions()
    for book in books + books.reversed() { watched.add(book) }
    #expect(watched.objects.map(\.key) == books.map(\.key))
    watched.removeAll()
    #expect(watched.isEmpty)
    watched.add(books[1])
    #expect(watched.objects.map(\.key) == [books[1].key])
  }

  @Test(
    "The next save checks the version of a watched object that is not changed, and only that save"
  )
  func check() throws {
    let world = try GraphWorld()
    let book = try world.insert("Book")
    try world.save()
    world.graph.watch(book)
    #expect(world.graph.hasWork && !world.graph.hasChanges)
    let checks = world.graph.planSave { _ in 0 }.batches[0]?.checks.map(\.key)
    #expect(checks == [book.key])
    try world.save()
    #expect(!world.graph.hasWork)
  }
}
