// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import StoreConformance
import Testing
import _CoreDataStore

/// Stores with one of each kind of property, which are copied between types of stores.
struct TransferredShop {
  let folder: URL

  /// Runs `body` with a folder of its own.
  static func with(_ body: (TransferredShop) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("transfer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) }
    }
    try body(TransferredShop(folder: folder))
  }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  static func coordinator() throws -> NSPersistentStoreCoordinator {
    NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(draft: ConformanceModel.draft)
    )
  }

  static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Saves teams and players with extreme values, empty and missing ones, and members in random order.
  static func fill(_ coordinator: NSPersistentStoreCoordinator) throws {
    let context = context(coordinator)
    try context.performAndWait {
      var random = SeededNumbers(7)
      func make(_ entity: String, _ values: [String: Any?]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
      }
      let tags = (0..<5).map { make("Tag", ["name": "tag \($0)"]) }
      let honours = (0..<7).map { make("Honour", ["name": "honour \($0)"]) }
      let players = (0..<40).map { number in
        make(
          number % 4 == 0 ? "Goalkeeper" : "Player",
          ["name": number % 9 == 0 ? nil : "Zoë \u{1F6B4} \(number)", "shirt": number]
        )
      }
      let teams = (0..<20).map { make("Team", Self.values($0)) }
      for (number, team) in teams.enumerated() {
        func some(_ objects: [NSManagedObject], _ count: Int) -> [NSManagedObject] {
          Array(objects.shuffled(using: &random).prefix(count))
        }
        team.setValue(NSSet(array: some(tags, number % 4)), forKey: "tags")
        team.setValue(NSOrderedSet(array: some(honours, number % 6)), forKey: "honours")
        team.setValue(NSSet(array: some(teams, number % 3)), forKey: "rivals")
        team.setValue(NSSet(array: [players[number], players[39 - number]]), forKey: "players")
        team.setValue(NSSet(array: [players[number]]), forKey: "fans")
        let line = players[number * 2..<number * 2 + 2].shuffled(using: &random)
        team.setValue(NSOrderedSet(array: line), forKey: "lineup")
        players[number].setValue(team, forKey: "captainOf")
      }
      try context.save()
      // The numbers of deleted objects are never assigned again.
      context.delete(make("Tag", ["name": "deleted"]))
      try context.save()
      let last = make("Tag", ["name": "deleted later"])
      try context.save()
      context.delete(last)
      try context.save()
    }
  }

  private static func values(_ number: Int) -> [String: Any?] {
    [
      "name": ["", "a'b\"c\\d\n\t", "é", "e\u{301}", "Ω"][number % 5],
      "zone": number % 2 == 0 ? nil : "zone",
      "wins": number - 10, "rank": Int(Int16.min) + number, "points": Int64.max - Int64(number),
      "score": [0.1, -0.0, .infinity, 1e-308, 5e300][number % 5],
      "ratio": Float(number) / 3,
      "founded": Date(timeIntervalSinceReferenceDate: Double(number) * 1e7 + 0.123456),
      "budget": Decimal(
        string: ["0", "-1.50", "123456789012345678901234567890.12", "1e-20"][number % 4]
      ),
      "isHost": number % 3 == 0 ? nil : number % 3 == 1,
      "uid": number % 2 == 0 ? UUID() : nil,
      "site": URL(string: "https://example.org/\(number)?q=ä".addingPercents),
      "logo": number % 3 == 0 ? nil : Data(repeating: UInt8(number), count: number * 10_000),
    ]
  }

  /// Checks that two stores at the same index have the same objects.
  static func expectEqual(
    _ one: NSPersistentStore,
    _ other: NSPersistentStore,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var comparison = ContentComparison(
      one.rows,
      other.rows,
      model: try ConformanceModel.make()
    )
    try comparison.run()
    #expect(comparison.differences == [], sourceLocation: sourceLocation)
    #expect(comparison.count == 72, sourceLocation: sourceLocation)
  }
}

extension String {
  fileprivate var addingPercents: String {
    addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? self
  }
}
#endif
