// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Rows that merges and saves have replaced do not pile up in chunks that others still use.
@Suite("Rows that were replaced")
struct RowCompactionTests {
  /// Rows in all chunks that the objects' rows are in.
  private func heldRows(_ objects: [NSManagedObject]) -> Int {
    var rows: [ObjectIdentifier: Int] = [:]
    for object in objects {
      if let chunk = object.chunk { rows[ObjectIdentifier(chunk)] = chunk.count }
    }
    return rows.values.reduce(0, +)
  }

  @Test("by merges all over a list go: some three rows are held for each object")
  func merges() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixture = try ResultsFixture(file: folder.appendingPathComponent("nations.sqlite"))
    let mine = fixture.context
    let other = fixture.container.newBackgroundContext()
    for index in 0..<4000 { fixture.add("n\(index)", "Z\(index % 5)", index) }
    try mine.save()
    mine.reset()
    let controller = fixture.controller(fixture.request([("name", true)]), sections: nil)
    let recorder = ResultsRecorder(controller)
    controller.delegate = recorder
    try controller.performFetch()
    let shown = controller.fetchedObjects ?? []
    for object in shown { _ = object.value(forKey: "wins") }
    let theirs = try other.fetch(fixture.request([("name", true)]))
    let saves = Posts(other, .NSManagedObjectContextDidSave)
    var random = RandomSteps(state: 1)
    var most = 0
    for round in 0..<260 {
      for _ in 0..<64 { theirs[random.below(4000)].setValue(random.below(9999), forKey: "wins") }
      try other.save()
      mine.mergeChanges(fromContextDidSave: try #require(saves.last))
      if round % 20 == 0 { most = max(most, heldRows(shown)) }
    }
    #expect(most <= 13_000)
    for (one, another) in zip(shown, theirs) {
      #expect(one.objectID == another.objectID)
      guard one.value(forKey: "wins") as? Int == another.value(forKey: "wins") as? Int else {
        Issue.record("\(name(one)) has an old value")
        break
      }
    }
    // A save finds the versions of the rows where they are now.
    for object in shown.prefix(50) { object.setValue("mine", forKey: "zone") }
    try mine.save()
    try fixture.close()
  }

  @Test("by saves go too, and what is unsaved stays")
  func saves() throws {
    let fixture = try ResultsFixture()
    let mine = fixture.context
    let nations = (0..<4000).map { fixture.add("n\($0)", nil, $0) }
    try mine.save()
    var random = RandomSteps(state: 2)
    var expected = nations.indices.map { $0 }
    for _ in 0..<260 {
      for _ in 0..<64 {
        let index = random.below(4000)
        expected[index] = random.below(9999)
        nations[index].setValue(expected[index], forKey: "wins")
      }
      try mine.save()
    }
    nations[9].setValue("unsaved", forKey: "zone")
    #expect(heldRows(nations) <= 13_000)
    #expect(nations.map { $0.value(forKey: "wins") as? Int ?? -1 } == expected)
    #expect(nations[9].value(forKey: "zone") as? String == "unsaved")
    mine.rollback()
    #expect(nations[9].value(forKey: "zone") == nil)
  }
}
