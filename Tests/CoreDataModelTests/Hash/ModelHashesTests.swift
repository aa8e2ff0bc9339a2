// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

struct ModelHashesTests {
  /// A user with a mandatory name and an optional pet name.
  ///
  /// Source of the expected values: observed, `Z_METADATA` of CoreDataPlus' SampleModel3 store.
  static func user(_ change: (inout EntityDraft) -> Void = { _ in }) throws -> ModelDefinition {
    var name = PropertyDraft(name: "name", kind: .attribute(.init(type: .string)))
    name.isOptional = false
    let petName = PropertyDraft(name: "petName", kind: .attribute(.init(type: .string)))
    var user = EntityDraft(name: "User")
    user.properties = [petName, name]
    change(&user)
    var draft = ModelDraft()
    draft.entities = [user]
    return try ModelDefinition(draft)
  }

  @Test func aKnownModelHasAppleHashDigestAndChecksum() throws {
    let hashes = try ModelHashes(model: Self.user())
    #expect(
      hashes.byEntity["User"]?.base64EncodedString()
        == "azH06XtpHRbEyCC65V+JQI1HATvUIVHs/eHqx/5L55g="
    )
    #expect(
      hashes.digest
        == "0KLB/FnL8roMcgeszeCxnPnvYqnn4VzB2DpFP6csqrDKzLB6fyG5rrVfjY5DtnQxx4355oWuKFublPf2Jo1UWg=="
    )
    #expect(hashes.checksum == "u970QgYhRHEJGIt0zQr1UhuZL2ZJ1KxBS+B7rkAx0ik=")
  }

  @Test func whatChangesNoColumnChangesNoHash() throws {
    let original = try ModelHashes(model: Self.user())
    let changed = try ModelHashes(
      model: Self.user { user in
        user.className = "Person"
        user.userInfo = ["k": "v"]
        user.renamingIdentifier = "Member"
        user.fetchIndexes = [.init(name: "byName", elements: [.init(property: "name")])]
        var attribute = AttributeDefinition(type: .string, defaultValue: .text("x"))
        attribute.usesScalar = true
        attribute.minimum = .int(3)
        user.properties[0].kind = .attribute(attribute)
        var transient = PropertyDraft(name: "t", kind: .attribute(.init(type: .undefined)))
        transient.isTransient = true
        user.properties.append(transient)
      }
    )
    #expect(changed.byEntity == original.byEntity)
  }

  @Test func everyPartOfTheHashChangesIt() throws {
    let changes: [(inout EntityDraft) -> Void] = [
      { $0.isAbstract = true },
      { $0.versionHashModifier = "2" },
      { $0.uniquenessConstraints = [["name"]] },
      { $0.properties[0].isOptional = false },
      { $0.properties[0].versionHashModifier = "2" },
      { $0.properties[0].kind = .attribute(.init(type: .uri)) },
      { $0.properties[0].kind = .attribute(.init(type: .string, preservesValueInHistory: true)) },
    ]
    var seen: Set<Data> = []
    for change in [{ _ in }] + changes {
      if let hash = try ModelHashes(model: Self.user(change)).byEntity["User"] { seen.insert(hash) }
    }
    #expect(seen.count == changes.count + 1)
  }

  @Test func differencesNameWhatWasAddedRemovedAndChanged() throws {
    let hashes = try ModelHashes(model: Self.user())
    #expect(hashes.differences(stored: hashes.byEntity) == [])
    let stored = ["Account": Data(count: 32), "User": Data(count: 32)]
    #expect(
      hashes.differences(stored: stored) == [
        "Account: removed (only the store has it)", "User: changed",
      ]
    )
    #expect(hashes.differences(stored: [:]) == ["User: added (the store does not have it)"])
    #expect(hashes.differences(stored: stored, entities: ["Other"]) == [])
  }

  @Test func hashesThatCannotBeRecomputedAreNoDifference() throws {
    let model = try Self.user {
      $0.properties[0].kind = .attribute(.init(type: .string, derivation: "uppercase:(name)"))
    }
    let hashes = ModelHashes(model: model)
    #expect(hashes.unverifiable == ["User"])
    #expect(hashes.differences(stored: ["User": Data(count: 32)]) == [])
  }

  @Test func aDerivationIsAPartOfTheHash() throws {
    let hashes = try ["uppercase:(name)", "uppercase: (name)", "lowercase:(name)"].map { text in
      ModelHashes(
        model: try Self.user {
          $0.properties[0].kind = .attribute(.init(type: .string, derivation: text))
        }
      ).byEntity
    }
    #expect(hashes[0] == hashes[1])
    #expect(hashes[0] != hashes[2])
  }
}
