// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite struct ObjectRegistryTests {
  private final class Owner {}
  private final class Flag: Sendable {
    private let state = Atomic(false)
    var isSet: Bool { state.load(ordering: .acquiring) }
    func set() { state.store(true, ordering: .releasing) }
  }

  private func registry(_ owner: Owner) throws -> ObjectRegistry {
    var draft = ModelDraft()
    draft.entities = [EntityDraft(name: "Team")]
    return ObjectRegistry(model: try ModelDefinition(draft), modelObject: owner, owner: owner)
  }

  private func object(_ registry: ObjectRegistry, _ number: Int64) throws -> GraphObject {
    let key = try #require(ObjectKey(store: 0, entity: 0, number: number))
    let object = GraphObject(registry: registry, key: key, flags: [])
    registry.register(object)
    return object
  }

  @Test func findsTheLivingAndForgetsTheDead() throws {
    let owner = Owner()
    let registry = try registry(owner)
    var objects = try (1...1000).map { try object(registry, $0) }
    #expect(objects.allSatisfy { registry.object(for: $0.key) === $0 })
    objects.removeAll { $0.key.number.isMultiple(of: 3) }
    #expect(registry.count == objects.count)
    #expect(objects.allSatisfy { registry.object(for: $0.key) === $0 })
    let gone = try #require(ObjectKey(store: 0, entity: 0, number: 3))
    #expect(registry.object(for: gone) == nil)
  }

  @Test func aRegistryThatHadManyObjectsFindsTheFewThatRemainAndNewOnes() throws {
    let owner = Owner()
    let registry = try registry(owner)
    var objects = try (1...20_000).map { try object(registry, $0) }
    objects.removeAll { !$0.key.number.isMultiple(of: 997) }
    #expect(objects.count == 20 && registry.count == 20)
    #expect(Set(registry.objects.map(\.key)) == Set(objects.map(\.key)))
    #expect(objects.allSatisfy { registry.object(for: $0.key) === $0 })
    objects += try (30_001...36_000).map { try object(registry, $0) }
    #expect(registry.objects.count == 6_020)
    #expect(objects.allSatisfy { registry.object(for: $0.key) === $0 })
  }

  @Test func lookUpsNeverBringBackAnObjectThatIsDying() async throws {
    let owner = Owner()
    let registry = try registry(owner)
    let key = try #require(ObjectKey(store: 0, entity: 0, number: 1))
    let done = Flag()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<50_000 {
          registry.register(GraphObject(registry: registry, key: key, flags: []))
        }
        done.set()
      }
      group.addTask {
        // The last reference to an object may be the one that is given here.
        while !done.isSet {
          if let found = registry.object(for: key) { #expect(found.key == key) }
        }
      }
    }
    #expect(registry.object(for: key) == nil && registry.count == 0)
  }

  /// Dense, strided and moved keys: the work for each stays small, so the whole stays fast.
  @Test(.timeLimit(.minutes(1)), arguments: [1, 4, 1024, 4096] as [Int64])
  func keysInARowOrFarApartAreNoBurden(stride: Int64) throws {
    let owner = Owner()
    let registry = try registry(owner)
    let objects = try (1...50_000).map { try object(registry, $0 * stride) }
    for (position, object) in objects.enumerated() {
      let key = try #require(
        ObjectKey(store: 0, entity: 0, number: Int64(position + 60_000) * stride)
      )
      registry.rekey(object, to: key)
    }
    #expect(registry.count == objects.count)
    #expect(objects.allSatisfy { registry.object(for: $0.key) === $0 })
  }
}
