// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What one run of the list law is about: the request, the contexts, and how its delegate is told.
struct ListLawSetting: Sendable, CustomTestStringConvertible {
  /// In which form the delegate is told.
  enum Form: String, Sendable { case callbacks, snapshots, differences }

  let name: String
  var entity = "Nation"
  var includesSubentities = true
  var predicate: String?
  /// Key paths, downwards where they begin with `-`; the name, which is unique, comes last.
  var order = ["wins"]
  var section: String?
  var limit = 0
  var offset = 0
  var batchSize = 0
  var form = Form.callbacks
  /// 0 for a controller on a context of the coordinator, 1 on a child of it, 2 on a child of that.
  var depth = 0
  var hasUndo = false
  /// Whether what others save is merged by itself; by hand, and often late, otherwise.
  var mergesAutomatically = false
  var rollsBackConflicts = false
  /// Whether conflicts are resolved in favour of the store, property by property.
  var keepsStored = false
  /// Whether objects are held whose members were read, while their members are not.
  var holdsOwners = false
  /// Whether batches are merged by their results' keys alone.
  var mergesBatchesByHand = false
  /// Whether contexts that know nothing of others' deletions save what they have changed.
  var bringsBack = false
  /// Whether the child of the controller's context lives on while its parent loses rows.
  var keepsChild = false
  /// Whether the list's order or sections read related objects, so that rows move with those.
  var readsRelated = false
  /// Objects of the list's entity, about.
  var count = 8
  /// The most steps in a round.
  var most = 4
  /// Of a thousand rounds of the law, how many are about this.
  var share = 20

  var testDescription: String { name }
  /// Whether steps happen that only some worlds know.
  var isWide: Bool { holdsOwners || mergesBatchesByHand || bringsBack || keepsChild }

  /// Each round of a world is about these.
  var sortDescriptors: [NSSortDescriptor] {
    (order + [entity == "Zone" ? "label" : "name"]).map { path in
      let isDown = path.hasPrefix("-")
      return NSSortDescriptor(key: isDown ? String(path.dropFirst()) : path, ascending: !isDown)
    }
  }

  static let all: [ListLawSetting] = [
    .init(name: "plain", mergesAutomatically: true, share: 60),
    .init(name: "plain, few", hasUndo: true, mergesAutomatically: true, count: 2, share: 40),
    .init(
      name: "sections",
      order: ["zone", "-wins"],
      section: "zone",
      hasUndo: true,
      mergesAutomatically: true,
      share: 80
    ),
    .init(name: "sections of numbers", order: ["wins"], section: "wins", share: 40),
    .init(
      name: "sections, downwards, with a predicate",
      predicate: "wins > 6 AND note != 'b'",
      order: ["-zone", "wins"],
      section: "zone",
      hasUndo: true,
      count: 12,
      share: 60
    ),
    .init(
      name: "predicate",
      predicate: "wins BETWEEN {4, 14} OR name ENDSWITH '1'",
      order: ["-score"],
      hasUndo: true,
      mergesAutomatically: true,
      share: 40
    ),
    .init(name: "without sub-entities", includesSubentities: false, hasUndo: true, share: 30),
    .init(
      name: "a sub-entity alone",
      entity: "Champion",
      predicate: "titles != 2",
      order: ["titles"],
      mergesAutomatically: true,
      share: 30
    ),
    .init(
      name: "limit and offset",
      order: ["zone", "wins"],
      section: "zone",
      limit: 4,
      offset: 1,
      mergesAutomatically: true,
      share: 30
    ),
    .init(
      name: "predicate on a related object",
      predicate: "home.label > 'C'",
      hasUndo: true,
      mergesAutomatically: true,
      share: 40
    ),
    .init(
      name: "predicate on an object behind a related one",
      predicate: "home.region.label != 'R1' AND home != nil",
      order: ["-wins"],
      share: 40
    ),
    .init(
      name: "predicate on to-manys",
      predicate: "ANY tags.name > 'T1' OR tags.@count == 0",
      hasUndo: true,
      share: 40
    ),
    .init(
      name: "subquery, from the other side",
      entity: "Zone",
      predicate: "SUBQUERY(nations, $n, $n.wins > 8).@count > 0 OR region.label == 'R2'",
      order: [],
      mergesAutomatically: true,
      share: 40
    ),
    .init(
      name: "a relationship without inverse",
      predicate: "judge.grade > 2",
      order: ["wins"],
      mergesAutomatically: true,
      share: 20
    ),
    .init(
      name: "order by a related object",
      order: ["home.label", "wins"],
      hasUndo: true,
      mergesAutomatically: true,
      readsRelated: true,
      share: 40
    ),
    .init(
      name: "sections by a related object",
      order: ["home.label", "wins"],
      section: "home.label",
      hasUndo: true,
      readsRelated: true,
      share: 60
    ),
    .init(
      name: "sections by an object behind a related one",
      predicate: "home.note != 'b'",
      order: ["-home.region.label", "home.label"],
      section: "home.region.label",
      mergesAutomatically: true,
      readsRelated: true,
      count: 12,
      share: 40
    ),
    .init(name: "batches of 3", order: ["zone", "wins"], section: "zone", batchSize: 3, share: 40),
    .init(
      name: "batches of 2, with a predicate",
      predicate: "wins < 12",
      batchSize: 2,
      hasUndo: true,
      mergesAutomatically: true,
      share: 30
    ),
    .init(
      name: "child context",
      order: ["zone", "wins"],
      section: "zone",
      depth: 1,
      hasUndo: true,
      mergesAutomatically: true,
      share: 40
    ),
    .init(
      name: "child context, sections by a related object",
      predicate: "wins > 3",
      order: ["home.label"],
      section: "home.label",
      depth: 1,
      readsRelated: true,
      share: 30
    ),
    .init(name: "grandchild context, in batches", batchSize: 2, depth: 2, share: 20),
    .init(
      name: "snapshots",
      order: ["zone", "wins"],
      section: "zone",
      form: .snapshots,
      hasUndo: true,
      mergesAutomatically: true,
      share: 40
    ),
    .init(
      name: "differences",
      predicate: "wins != 7",
      form: .differences,
      hasUndo: true,
      share: 40
    ),
    .init(
      name: "sections, again",
      order: ["zone", "-wins"],
      section: "zone",
      hasUndo: true,
      mergesAutomatically: true,
      share: 15
    ),
    .init(
      name: "batches by a related object",
      predicate: "home.region.label > 'R0'",
      order: ["home.label", "wins"],
      section: "home.label",
      batchSize: 3,
      readsRelated: true,
      share: 15
    ),
    .init(
      name: "child context that takes what is stored",
      order: ["zone"],
      section: "zone",
      depth: 1,
      mergesAutomatically: true,
      rollsBackConflicts: true,
      share: 10
    ),
    .init(
      name: "predicate that counts members of a related object",
      predicate: "home.nations.@count > 2",
      hasUndo: true,
      mergesAutomatically: true,
      holdsOwners: true,
      share: 40
    ),
    .init(
      name: "counted members, batches merged by hand",
      predicate: "home.nations.@count > 1 OR home == nil",
      holdsOwners: true,
      mergesBatchesByHand: true,
      share: 40
    ),
    .init(
      name: "owners by the count of their members, batches merged by hand",
      entity: "Zone",
      predicate: "nations.@count != 2",
      order: [],
      hasUndo: true,
      mergesAutomatically: true,
      holdsOwners: true,
      mergesBatchesByHand: true,
      share: 30
    ),
    .init(
      name: "child context, members counted, batches merged by hand",
      predicate: "home.nations.@count > 1 AND tags.@count < 2",
      depth: 1,
      holdsOwners: true,
      mergesBatchesByHand: true,
      share: 30
    ),
    .init(
      name: "rows that come back",
      predicate: "home.nations.@count > 0 OR wins > 9",
      mergesAutomatically: true,
      holdsOwners: true,
      bringsBack: true,
      share: 80
    ),
    .init(
      name: "rows that come back, merged late",
      order: ["zone", "wins"],
      section: "zone",
      holdsOwners: true,
      bringsBack: true,
      share: 60
    ),
    .init(
      name: "a child whose parent loses rows",
      predicate: "home.nations.@count != 1",
      mergesAutomatically: true,
      holdsOwners: true,
      keepsChild: true,
      share: 40
    ),
    .init(
      name: "a child below a child whose parents lose rows",
      order: ["wins"],
      depth: 1,
      holdsOwners: true,
      keepsChild: true,
      share: 20
    ),
    .init(
      name: "deletions that give way",
      predicate: "home.region.zones.@count > 1 OR wins > 9",
      mergesAutomatically: true,
      keepsStored: true,
      holdsOwners: true,
      share: 20
    ),
    .init(
      name: "many rows",
      order: ["zone", "wins"],
      section: "zone",
      hasUndo: true,
      mergesAutomatically: true,
      count: 700,
      most: 30,
      share: 1
    ),
    .init(
      name: "many rows by related objects, in batches",
      order: ["home.label", "wins"],
      batchSize: 20,
      mergesAutomatically: true,
      readsRelated: true,
      count: 300,
      most: 12,
      share: 1
    ),
  ]
}
