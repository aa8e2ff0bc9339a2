// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("The section cache (behaviour.md FRC-2, FRC-18)", .serialized)
struct SectionCacheTests {
  /// A store with nations `a…` to `d…`, closed again, and a cache name of its own.
  private final class World {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let cache = UUID().uuidString
    var file: URL { folder.appendingPathComponent("nations.sqlite") }

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let fixture = try ResultsFixture(file: file)
      try fixture.context.performAndWait {
        for index in 0..<40 { fixture.add("\("abcd".map { $0 }[index / 10])\(index)", "z", index) }
        try fixture.context.save()
      }
      try fixture.close()
    }

    deinit {
      NSFetchedResultsController<NSManagedObject>.deleteCache(withName: cache)
      try? FileManager.default.removeItem(at: folder)
    }

    /// One run of a program: opens the store, fetches, and tells the sections and how many names were
    /// asked for.
    func run(
      _ predicate: String? = nil,
      cache: String? = nil,
      sections: String = "initial",
      order: [(String, Bool)] = [("name", true)],
      edit: (ResultsFixture) throws -> Void = { _ in }
    ) throws -> (sections: [String], asked: Int) {
      let fixture = try ResultsFixture(file: file)
      let result = try fixture.context.performAndWait {
        try edit(fixture)
        let request = fixture.request(order)
        request.predicate = predicate.map { NSPredicate(format: $0) }
        let controller = fixture.controller(request, sections: sections, cache: cache ?? self.cache)
        ComputedNation.asked = 0
        try controller.performFetch()
        let sections = (controller.sections ?? []).map { "\($0.name)\($0.numberOfObjects)" }
        return (sections, ComputedNation.asked)
      }
      try fixture.close()
      return result
    }
  }

  private let all = ["a10", "b10", "c10", "d10"]

  @Test("FRC-18 survives a restart and saves the section names of all rows but two a section")
  func restart() throws {
    let world = try World()
    let first = try world.run()
    let second = try world.run()
    #expect(first.sections == all && first.asked == 40)
    #expect(second.sections == all && second.asked == 8)
    #expect(try world.run().asked == 8)
    NSFetchedResultsController<NSManagedObject>.deleteCache(withName: world.cache)
    #expect(try world.run().asked == 40)
  }

  @Test("FRC-18 stale cache: another request or a changed store never gets old sections")
  func stale() throws {
    let world = try World()
    _ = try world.run()
    let narrower = try world.run("wins < 15")
    #expect(narrower.sections == ["a10", "b5"] && narrower.asked == 15)
    // The same number of rows in other sections.
    let edited = try world.run("wins < 15") { fixture in
      let found = try fixture.context.fetch(fixture.request([("wins", true)]))
      found[9].setValue("b9", forKey: "name")
      try fixture.context.save()
    }
    #expect(edited.sections == ["a9", "b6"])
    #expect(try world.run("wins < 15").sections == ["a9", "b6"])
    // Unsaved changes are not what the cache was made for.
    let unsaved = try world.run { fixture in fixture.add("e", nil, 1) }
    #expect(unsaved.sections == ["a9", "b11", "c10", "d10", "e1"] && unsaved.asked == 41)
    #expect(try world.run().sections == ["a9", "b11", "c10", "d10"])
  }

  @Test("FRC-18 other sort descriptors or another section key path never get what is kept")
  func otherRequests() throws {
    let world = try World()
    #expect(try world.run().asked == 40)
    let downwards = try world.run(order: [("name", false)])
    #expect(downwards.sections == all.reversed() && downwards.asked == 40)
    #expect(try world.run(sections: "zone").sections == ["z40"])
    #expect(try world.run(sections: "zone").asked == 0)
    #expect(try world.run().asked == 40)
  }

  @Test("FRC-18 deleting the caches of every name deletes this one")
  func deleteAll() throws {
    let world = try World()
    _ = try world.run()
    #expect(try world.run().asked == 8)
    NSFetchedResultsController<NSManagedObject>.deleteCache(withName: nil)
    #expect(try world.run().asked == 40)
  }

  @Test("FRC-2 with a delegate and a cache name the content follows; sections outlive the program")
  func followed() throws {
    let world = try World()
    let fixture = try ResultsFixture(file: world.file)
    try fixture.context.performAndWait {
      let controller = fixture.controller(
        fixture.request([("name", true)]),
        sections: "initial",
        cache: world.cache
      )
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      try controller.performFetch()
      fixture.add("e1", "z", 1)
      try fixture.context.save()
      #expect(recorder.removeEvents() == ["will", "insert section 4 e", "insert e1 - 4.0", "did"])
      #expect(controller.sections?.count == 5)
    }
    try fixture.close()
    #expect(try world.run().sections == all + ["e1"])
    let again = try world.run()
    #expect(again.sections == all + ["e1"] && again.asked == 10)
  }

  @Test("FRC-18 a save that another program makes between the fetches is seen")
  func foreignWrite() throws {
    let world = try World()
    _ = try world.run()
    _ = try world.run()
    let database = SQLFile(url: world.file)
    try database.run("UPDATE ZNATION SET ZNAME = 'b' WHERE ZNAME = 'a9'")
    #expect(try world.run().sections == ["a9", "b11", "c10", "d10"])
  }

  @Test("FRC-18 a damaged file is none, whatever was damaged")
  func damage() throws {
    let world = try World()
    _ = try world.run()
    let caches = try #require(
      FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    )
    let folder = caches.appendingPathComponent("swift-coredata/sections")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    ).compactMap { $0 as? URL }.filter { $0.lastPathComponent.count == 64 }
    let file = try #require(
      files.max { left, right in
        func date(_ url: URL) -> Date {
          (try? url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate)
            ?? .distantPast
        }
        return date(left) < date(right)
      }
    )
    let content = try Data(contentsOf: file)
    #expect(content.count > 100)
    for index in stride(from: 0, to: content.count, by: 7) {
      var damaged = content
      damaged[index] ^= 0x41
      try damaged.write(to: file)
      let result = try world.run()
      #expect(result.sections == all && result.asked == 40, "byte \(index)")
    }
    for length in [0, 8, 40, content.count - 1] {
      try content.prefix(length).write(to: file)
      #expect(try world.run().asked == 40)
    }
    try (content + content).write(to: file)
    #expect(try world.run().asked == 40)
    #expect(try world.run().asked == 8)
  }

  @Test("FRC-18 is used for a predicate whose text contains the word of blocks")
  func blockAsText() throws {
    let world = try World()
    let format = "name != 'BLOCKED' AND name != 'BLOCKPREDICATE'"
    #expect(try world.run(format).asked == 40)
    #expect(try world.run(format).asked == 8)
  }

  @Test("FRC-18 is not used for a predicate with a block expression")
  func blockExpressions() throws {
    let world = try World()
    let fixture = try ResultsFixture(file: world.file)
    try fixture.context.performAndWait {
      for limit in [15, 25] {
        let request = fixture.request([("name", true)])
        let block = NSExpression(
          block: { object, _, _ in
            ((object as? NSManagedObject)?.value(forKey: "wins") as? Int ?? 0) < limit
          },
          arguments: nil
        )
        request.predicate = NSComparisonPredicate(
          leftExpression: NSExpression(forAggregate: [block]),
          rightExpression: NSExpression(forConstantValue: true),
          modifier: .any,
          type: .equalTo
        )
        let controller = fixture.controller(request, sections: "initial", cache: world.cache)
        try controller.performFetch()
        #expect(controller.sections?.count == (limit == 15 ? 2 : 3))
      }
    }
    try fixture.close()
  }

  @Test("FRC-18 is not used for a predicate that only a block knows")
  func blocks() throws {
    let world = try World()
    let fixture = try ResultsFixture(file: world.file)
    try fixture.context.performAndWait {
      for limit in [15, 25] {
        let request = fixture.request([("name", true)])
        request.predicate = NSPredicate { object, _ in
          ((object as? NSManagedObject)?.value(forKey: "wins") as? Int ?? 0) < limit
        }
        let controller = fixture.controller(request, sections: "initial", cache: world.cache)
        try controller.performFetch()
        #expect(controller.sections?.count == (limit == 15 ? 2 : 3))
      }
    }
    try fixture.close()
  }
}
