// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Random edits of contexts; after every round the delegate's table shows what a fresh fetch gives.
///
/// `COREDATA_LIST_ROUNDS` says how many rounds each setting plays; `scripts/test` plays 50,000 in all.
struct ListLawTests {
  static let settings: [ListSetting] = [
    ListSetting("one section", sections: nil),
    ListSetting("sections", sections: "zone"),
    ListSetting("sections, predicate", sections: "zone", predicate: "wins < 12"),
    ListSetting("sections of a related object", sections: "home.label", reads: "home.label"),
    ListSetting(
      "predicate on a related object",
      sections: nil,
      predicate: "home.label < 'M' OR wins > 15"
    ),
    ListSetting("computed sections", sections: "initial", reads: "name"),
    ListSetting("no sub-entities", sections: "zone", includesSubentities: false),
    ListSetting("limit and offset", sections: "zone", limit: 5, offset: 2),
    ListSetting("batches", sections: "zone", batchSize: 3),
    ListSetting("a child context", sections: "zone", predicate: "wins < 12", isNested: true),
    ListSetting("undo", sections: "zone", undoes: true),
  ]

  @Test(
    "A table that plays the delegate's calls shows what a fresh fetch gives",
    arguments: settings
  )
  func mirror(_ setting: ListSetting) throws {
    let text = ProcessInfo.processInfo.environment["COREDATA_LIST_ROUNDS"]
    let rounds = text.flatMap { Int($0) } ?? 120
    let world = try ListLawWorld(setting)
    try world.context.performAndWait { try world.begin() }
    for round in 0..<rounds {
      let before = world.context.performAndWait { world.snapshot() }
      try world.play()
      try world.context.performAndWait { try world.check(before, "round \(round)") }
    }
  }
}

/// One kind of list.
struct ListSetting: CustomTestStringConvertible {
  var testDescription: String
  var sections: String?
  /// The key that leads the sort where it is not the section key path.
  var reads: String?
  var predicate: String?
  var includesSubentities = true
  var limit = 0
  var offset = 0
  var batchSize = 0
  var isNested = false
  var undoes = false

  init(
    _ name: String,
    sections: String?,
    reads: String? = nil,
    predicate: String? = nil,
    includesSubentities: Bool = true,
    limit: Int = 0,
    offset: Int = 0,
    batchSize: Int = 0,
    isNested: Bool = false,
    undoes: Bool = false
  ) {
    testDescription = name
    self.sections = sections
    self.reads = reads
    self.predicate = predicate
    self.includesSubentities = includesSubentities
    self.limit = limit
    self.offset = offset
    self.batchSize = batchSize
    self.isNested = isNested
    self.undoes = undoes
  }

  var keys: [(String, Bool)] {
    let lead = reads ?? sections
    return (lead.map { [($0, true)] } ?? []) + [("wins", false), ("name", true)]
  }

  var request: NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Nation")
    request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
    request.predicate = predicate.map { NSPredicate(format: $0) }
    request.includesSubentities = includesSubentities
    request.fetchLimit = limit
    request.fetchOffset = offset
    request.fetchBatchSize = batchSize
    return request
  }
}
