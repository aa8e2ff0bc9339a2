// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("Change events")
struct ChangeEventTests {
  private final class Owner {}
  private let owner = Owner()
  private let registry: ObjectRegistry

  init() throws {
    var draft = ModelDraft()
    draft.entities = [EntityDraft(name: "Team")]
    registry = ObjectRegistry(model: try ModelDefinition(draft), modelObject: owner, owner: owner)
  }

  /// What an event of these notes reports of an object, by group.
  private func report(_ notes: [ObjectFlags]) -> [String] {
    let object = GraphObject(
      registry: registry,
      key: .temporary(entity: 0, number: 1),
      flags: []
    )
    var event = ChangeEvent()
    for flag in notes { event.note(object, flag) }
    #expect(event.objects.count == 1)
    let summary = event.finish()
    #expect(event.isEmpty && object.flags.isDisjoint(with: .inEvent))
    let groups = [
      ("inserted", summary.inserted), ("updated", summary.updated), ("deleted", summary.deleted),
      ("refreshed", summary.refreshed),
    ]
    return groups.filter { !$0.1.isEmpty }.map(\.0)
  }

  @Test("The strongest of what happened to an object is reported, once")
  func strongest() {
    #expect(report([.updatedInEvent, .updatedInEvent]) == ["updated"])
    #expect(report([.insertedInEvent, .updatedInEvent]) == ["inserted"])
    #expect(report([.updatedInEvent, .deletedInEvent]) == ["deleted"])
    #expect(report([.refreshedInEvent]) == ["refreshed"])
    #expect(report([.refreshedInEvent, .updatedInEvent]) == ["updated"])
  }

  @Test("An object that was inserted and deleted in one event is not reported")
  func shortLife() {
    #expect(report([.insertedInEvent, .deletedInEvent]) == [])
  }
}
