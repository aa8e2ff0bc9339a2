// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Mapping models of other people's apps.
@Suite("Mapping models", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct MappingModelTests {
  private let folder = FixtureStore.folder.appendingPathComponent("compiled")

  @Test("A compiled mapping model has its mappings, with hashes, policies and expressions")
  func compiled() throws {
    let file = folder.appendingPathComponent("alemar11__CoreDataPlus__loose__hist/V2toV3.cdm")
    let mapping = try #require(NSMappingModel(contentsOf: file))
    let names = [
      "CarToCar", "LuxuryCarToLuxuryCar", "Maker", "PersonToPerson", "SportCarToSportCar",
    ]
    #expect(mapping.entityMappingsByName.keys.sorted() == names)
    let car = try #require(mapping.entityMappingsByName["CarToCar"])
    #expect(car.mappingType == .customEntityMappingType)
    #expect(car.entityMigrationPolicyClassName == "CoreDataPlus_Tests_macOS.V2to3MakerPolicyPolicy")
    #expect(car.sourceEntityVersionHash?.count == 32)
    let attributes = try #require(car.attributeMappings)
    #expect(attributes.map(\.name) == ["markedForDeletionAsOf", "model", "numberPlate"])
    #expect(attributes[1].valueExpression?.description == "$source.model")
    #expect(car.sourceExpression != nil)
    let owner = try #require(car.relationshipMappings?.first { $0.name == "owner" })
    let text = try #require(owner.valueExpression?.description)
    #expect(text.contains("destinationInstancesForEntityMappingNamed:sourceInstances:"))
    #expect(mapping.entityMappingsByName["Maker"]?.mappingType == .addEntityMappingType)
    #expect(mapping.entityMappingsByName["Maker"]?.sourceEntityName == nil)
  }

  @Test("Every source of a mapping model is read; what is to be computed parses")
  func sources() throws {
    let sources = folder.appendingPathComponent("mappingmodels")
    var mappings = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted()
    where name.hasSuffix(".xml") {
      let mapping = try #require(NSMappingModel(contentsOf: sources.appendingPathComponent(name)))
      #expect(!mapping.entityMappings.isEmpty, "\(name)")
      for entity in mapping.entityMappings {
        mappings += 1
        #expect(!entity.name.isEmpty, "\(name)")
        #expect((entity.sourceExpression == nil) == (entity.sourceEntityName == nil), "\(name)")
        guard entity.sourceEntityName != nil else { continue }
        let parts = (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? [])
        #expect(parts.allSatisfy { $0.name?.isEmpty == false && $0.valueExpression != nil })
      }
    }
    #expect(mappings > 200)
  }

  @Test("A file that is no mapping model is refused")
  func refused() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    for text in ["", "<model/>", "<database/>", "bplist00"] {
      try Data(text.utf8).write(to: file)
      #expect(NSMappingModel(contentsOf: file) == nil)
    }
  }
}
