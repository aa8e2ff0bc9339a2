// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

struct ModelDefinitionTests {
  static func attribute(_ name: String, _ type: AttributeType = .string) -> PropertyDraft {
    PropertyDraft(name: name, kind: .attribute(.init(type: type)))
  }

  static func toMany(
    _ name: String,
    _ destination: String,
    inverse: String? = nil
  ) -> PropertyDraft {
    var relationship = RelationshipDraft(destination: destination, inverse: inverse)
    relationship.maxCount = 0
    return PropertyDraft(name: name, kind: .relationship(relationship))
  }

  static func entity(
    _ name: String,
    parent: String? = nil,
    _ properties: [PropertyDraft] = []
  ) -> EntityDraft {
    var entity = EntityDraft(name: name)
    entity.parent = parent
    entity.properties = properties
    return entity
  }

  static func model(_ entities: [EntityDraft]) throws -> ModelDefinition {
    var draft = ModelDraft()
    draft.entities = entities
    return try ModelDefinition(draft)
  }

  @Test func entitiesAreNumberedDepthFirstWithSiblingsSortedByName() throws {
    let model = try Self.model([
      Self.entity("Zoo"), Self.entity("Dog", parent: "Animal"), Self.entity("Animal"),
      Self.entity("Puppy", parent: "Dog"), Self.entity("Cat", parent: "Animal"),
      Self.entity("a"),
    ])
    #expect(model.entities.map(\.name) == ["Animal", "Cat", "Dog", "Puppy", "Zoo", "a"])
    #expect(model.entities.map(\.family) == [0..<4, 1..<2, 2..<4, 3..<4, 4..<5, 5..<6])
    #expect(model.entities.map(\.root) == [0, 0, 0, 0, 4, 5])
    #expect(model.entities[0].children == [1, 2])
    #expect(model.entities[3].isKind(of: model.entities[0]))
    #expect(!model.entities[0].isKind(of: model.entities[3]))
    #expect(model.entity(named: "Puppy")?.parent == 2)
    #expect(model.entity(named: "Cow") == nil)
  }

  @Test func inheritedPropertiesKeepTheirSlotsAndOwnOnesFollow() throws {
    let model = try Self.model([
      Self.entity("Base", [Self.attribute("z"), Self.attribute("b")]),
      Self.entity("Sub", parent: "Base", [Self.attribute("a")]),
    ])
    let sub = model.entities[1]
    #expect(sub.properties.map(\.name) == ["b", "z", "a"])
    #expect(sub.properties.map(\.slot) == [0, 1, 2])
    #expect(sub.properties.map(\.declaringEntity) == [0, 0, 1])
    #expect(sub.slotByName["a"] == 2)
  }

  @Test func relationshipsAreResolvedToIndexesAndSlots() throws {
    let owner = PropertyDraft(
      name: "owner",
      kind: .relationship(.init(destination: "Person", inverse: "pets"))
    )
    var note = Self.attribute("note")
    note.isTransient = true
    let model = try Self.model([
      Self.entity("Pet", [owner, Self.attribute("name"), note]),
      Self.entity("Person", [Self.toMany("pets", "Pet", inverse: "owner")]),
    ])
    let pet = try #require(model.entity(named: "Pet"))
    let person = try #require(model.entity(named: "Person"))
    #expect(pet.property(named: "owner")?.relationship?.destination == person.index)
    #expect(pet.property(named: "owner")?.relationship?.inverse == 0)
    #expect(person.toManySlots == [0] && person.storedSlots == [])
    #expect(pet.toOneSlots == [2] && pet.storedSlots == [0, 2])
    #expect(pet.rowLayout.kinds == [.text, .text, .reference])
    #expect(person.rowLayout.kinds == [SlotKind.none])
  }

  @Test func constraintsOfAncestorsApplyToSubentities() throws {
    var base = Self.entity("Base", [Self.attribute("code")])
    base.uniquenessConstraints = [["code"]]
    let model = try Self.model([base, Self.entity("Sub", parent: "Base")])
    #expect(model.entities[1].uniquenessConstraints == [["code"]])
    #expect(model.entities[1].ownUniquenessConstraints == [])
  }

  @Test(arguments: [
    ([entity("A"), entity("A")], "A: two entities have this name; rename one of them"),
    ([entity("")], "an entity has no name"),
    (
      [entity("A", parent: "C"), entity("B", parent: "C"), entity("C", parent: "B")],
      "C: the parent entities form a cycle: C → B → C; give one of them another parent, or none"
    ),
    (
      [entity("A", [attribute("x"), attribute("x")])],
      "A.x: two properties of the entity have this name; rename one of them"
    ),
    (
      [entity("A", [attribute("x")]), entity("B", parent: "A", [attribute("x")])],
      "B.x: the entity inherits a property with this name from “A”; rename one of the two properties"
    ),
    (
      [entity("A", [toMany("x", "B")])], "A.x: its destination entity “B” does not exist"
    ),
    (
      [entity("A", [toMany("x", "A", inverse: "y")])],
      "A.x: its inverse “y” does not exist in “A”"
    ),
    ([entity("A", [attribute("")])], "A: a property has no name"),
  ])
  func aModelThatContradictsItselfSaysWhere(entities: [EntityDraft], message: String) {
    do {
      _ = try Self.model(entities)
      Issue.record("no error")
    } catch {
      #expect("\(error)" == message)
    }
  }

  @Test func configurationsAndConstraintsMustNameWhatExists() throws {
    var draft = ModelDraft()
    draft.entities = [Self.entity("A")]
    draft.configurations = ["C": ["A"]]
    #expect(try ModelDefinition(draft).configurations == ["C": [0]])
    draft.configurations = ["C": ["B"]]
    let error = #expect(throws: ModelError.self) { try ModelDefinition(draft) }
    #expect(error?.reason == "the configuration “C” names the entity “B”, which does not exist")
    draft.configurations = [:]
    draft.entities[0].uniquenessConstraints = [["x"]]
    #expect(throws: ModelError.self) { try ModelDefinition(draft) }
  }
}
