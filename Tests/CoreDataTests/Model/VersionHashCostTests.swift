// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

@Suite struct VersionHashCostTests {
  /// A model of so many entities with an attribute each.
  private static func model(_ count: Int) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities(count)
    return model
  }

  private static func entities(_ count: Int) -> [NSEntityDescription] {
    (0..<count).map { number in
      let attribute = NSAttributeDescription()
      attribute.name = "name"
      attribute.attributeType = .stringAttributeType
      let entity = NSEntityDescription()
      entity.name = "Entity\(number)"
      entity.properties = [attribute]
      return entity
    }
  }

  private static func hashes(of entities: [NSEntityDescription]) -> [Data] {
    entities.flatMap { [$0.versionHash] + $0.properties.map(\.versionHash) }
  }

  /// The steps of asking a model and each of its descriptions for hashes.
  private static func steps(_ count: Int, isFrozen: Bool) throws -> Int {
    let model = model(count)
    if isFrozen { _ = NSPersistentStoreCoordinator(managedObjectModel: model) }
    let steps = WorkCounter.count {
      #expect(Set(hashes(of: model.entities)).count > count)
      #expect(model.entityVersionHashesByName.count == count && !model.versionChecksum.isEmpty)
    }
    return try #require(steps)
  }

  // In a process of its own: another test's edit of any model makes hashes that are kept stale.
  @Test(.enabled(if: WorkCounter.isCounting))
  func allHashesOfAModelCostWhatItsSizeCosts() async {
    await #expect(processExitsWith: .success) {
      for isFrozen in [false, true] {
        let few = try VersionHashCostTests.steps(20, isFrozen: isFrozen)
        #expect(try few > 0 && VersionHashCostTests.steps(40, isFrozen: isFrozen) <= 3 * few)
      }
    }
  }

  @Test func hashesFollowEachChangeOfAModelThatIsNotInUse() throws {
    let model = Self.model(2)
    let entity = try #require(model.entities.first)
    let attribute = try #require(entity.attributesByName["name"])
    var known = [Self.hashes(of: [entity])]
    func expectNew() {
      let now = Self.hashes(of: [entity])
      #expect(!known.contains { $0[0] == now[0] }, "the entity's hash after \(known.count) changes")
      #expect(model.entityVersionHashesByName[entity.name ?? ""] == now[0])
      known.append(now)
    }
    attribute.isOptional = false
    expectNew()
    attribute.attributeType = .integer64AttributeType
    expectNew()
    entity.name = "Other"
    expectNew()
    entity.versionHashModifier = "2"
    expectNew()
    let more = NSAttributeDescription()
    more.name = "more"
    more.attributeType = .dateAttributeType
    entity.properties += [more]
    expectNew()
    more.name = "much"
    expectNew()
    model.entities[1].properties = []
    model.entities[1].subentities = [entity]
    expectNew()
  }

  @Test func anEntityOutsideAModelHasTheHashThatItHasInOne() throws {
    let alone = try #require(Self.entities(1).first)
    let inModel = try #require(Self.model(1).entities.first)
    #expect(Self.hashes(of: [alone]) == Self.hashes(of: [inModel]))
    alone.versionHashModifier = "2"
    inModel.versionHashModifier = "2"
    #expect(alone.versionHash == inModel.versionHash && !alone.versionHash.isEmpty)
  }
}
