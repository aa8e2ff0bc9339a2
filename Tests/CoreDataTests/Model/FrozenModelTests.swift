// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

final class LateTeam: NSManagedObject, @unchecked Sendable {}

@Suite("A model in use")
struct FrozenModelTests {
  @Test("numbers its descriptions as the core does")
  func indexes() throws {
    let model = ModelFixtures.football()
    let frozen = try model.freeze()
    #expect(try model.freeze() === frozen)
    #expect(frozen.entities.map(\.name) == ["Player", "Goalkeeper", "Team"])
    #expect(frozen.entities.map(\.frozenIndex) == [0, 1, 2])
    #expect(frozen.properties[1].map(\.name) == ["name", "team", "saves"])
    #expect(frozen.entities[2].frozen === frozen)
    #expect(frozen.entities[2].definition?.name == "Team")
  }

  @Test("cannot be changed")
  func immutable() async {
    await #expect(processExitsWith: .failure) {
      let model = ModelFixtures.football()
      _ = try model.freeze()
      model.entitiesByName["Team"]?.attributesByName["wins"]?.isOptional = false
    }
    await #expect(processExitsWith: .failure) {
      let model = ModelFixtures.football()
      _ = try model.freeze()
      model.entities = []
    }
  }

  @Test("is copied as a model that can be changed")
  func mutableCopy() throws {
    let model = ModelFixtures.football()
    _ = try model.freeze()
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    copy.entitiesByName["Team"]?.name = "Club"
    #expect(copy.entitiesByName["Club"] != nil)
  }

  @Test("is refused with entity, property and reason where it is broken")
  func broken() throws {
    let model = ModelFixtures.football()
    model.entitiesByName["Team"]?.attributesByName["wins"]?.defaultValue = "none"
    do {
      _ = try model.freeze()
      Issue.record("a broken model was taken")
    } catch let error as NSError {
      #expect(error.domain == NSCocoaErrorDomain)
      #expect(error.code == NSCoreDataError)
      let reason = error.userInfo["reason"] as? String
      #expect(reason?.contains("Team.wins") == true)
      #expect(reason?.contains("“none” of type String cannot be converted") == true)
      #expect(reason?.contains("Integer 32") == true)
    }
    #expect(!model.isFrozen)
  }

  private func reason(_ properties: [NSPropertyDescription]) -> String {
    let entity = NSEntityDescription()
    entity.name = "Place"
    entity.properties = properties
    let model = NSManagedObjectModel()
    model.entities = [entity]
    do {
      _ = try model.freeze()
      return ""
    } catch {
      return (error as NSError).userInfo["reason"] as? String ?? ""
    }
  }

  @Test("tells a composite that contains itself from one that is nested too deeply")
  func nestedComposites() {
    let loop = NSCompositeAttributeDescription()
    loop.name = "loop"
    loop.elements = [loop]
    defer { loop.elements = [] }
    #expect(reason([loop]).hasSuffix("contains itself; remove it from the elements of “loop”"))
    var inner = NSCompositeAttributeDescription()
    for level in 0..<40 {
      inner.name = "level\(level)"
      let outer = NSCompositeAttributeDescription()
      outer.elements = [inner]
      inner = outer
    }
    inner.name = "deep"
    #expect(reason([inner]).contains("nested in more than 32 others"))
  }

  @Test("tells a relationship without a destination from one whose destination has no name")
  func destinations() {
    let lost = NSRelationshipDescription()
    lost.name = "lost"
    #expect(reason([lost]).hasPrefix("Place.lost: the relationship has no destination entity"))
    let nameless = NSEntityDescription()
    lost.destinationEntity = nameless
    #expect(reason([lost]).hasPrefix("Place.lost: the destination entity has no name"))
  }

  @Test("finds the class of an entity by its registered name, also when that comes late")
  func classes() throws {
    let model = ModelFixtures.football()
    model.entitiesByName["Team"]?.managedObjectClassName = "LateTeam"
    model.entitiesByName["Player"]?.managedObjectClassName = String(reflecting: LateTeam.self)
    model.entitiesByName["Goalkeeper"]?.managedObjectClassName = "NoSuchClass"
    let frozen = try model.freeze()
    #expect(frozen.managedObjectClass(at: 0) == LateTeam.self)
    #expect(frozen.managedObjectClass(at: 1) == NSManagedObject.self)
    ManagedObjectClasses.register(LateTeam.self)
    #expect(frozen.managedObjectClass(at: 2) == LateTeam.self)
  }
}
