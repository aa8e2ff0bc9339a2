// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

@Suite("How a mapping model fits two models")
struct MappingFitTests {
  private static func data(_ byte: UInt8) -> Data { Data([byte]) }

  private static func claim(
    _ name: String,
    _ source: (String, UInt8?)?,
    _ destination: (String, UInt8?)?
  ) -> MappingFit.Claim {
    MappingFit.Claim(
      mapping: name,
      source: source.map { ($0.0, $0.1.map(data)) },
      destination: destination.map { ($0.0, $0.1.map(data)) }
    )
  }

  private static let notes = [
    claim("A", ("Note", 1), ("Note", 2)), claim("B", ("Tag", 3), ("Tag", 4)),
    claim("C", nil, ("Body", 5)),
  ]
  private static let before = ["Note": data(1), "Tag": data(3), "Old": data(9)]
  private static let after = ["Note": data(2), "Tag": data(4), "Body": data(5)]

  @Test("It fits if every entity that it names has the version hash that it was made for")
  func whole() {
    #expect(MappingFit(Self.notes, from: Self.before, to: Self.after).isWhole)
    #expect(!MappingFit([], from: Self.before, to: Self.after).isWhole)
    let fit = MappingFit(
      Self.notes,
      from: Self.before,
      to: ["Note": Self.data(7), "Tag": Self.data(4)]
    )
    #expect(
      fit.differences == [
        "A: the destination entity Note does not match the destination model",
        "C: the destination entity Body does not match the destination model",
      ]
    )
  }

  @Test("Without version hashes it fits no models, not even models without its entities")
  func noHashes() {
    let claim = Self.claim("A", ("Note", nil), nil)
    #expect(!MappingFit([claim], from: Self.before, to: Self.after).isWhole)
    #expect(!MappingFit([claim], from: [:], to: [:]).isWhole)
    #expect(!MappingFit([claim], from: [:], to: [:]).isNear)
  }

  @Test("It almost fits if one entity differs, or if one of the models is the right one")
  func near() {
    func isNear(_ before: [String: Data], _ after: [String: Data]) -> Bool {
      MappingFit(Self.notes, from: before, to: after).isNear
    }
    #expect(!isNear(Self.before, Self.after))
    #expect(isNear(Self.before, Self.after.merging(["Note": Self.data(7)]) { $1 }))
    #expect(isNear(Self.before, ["Body": Self.data(5)]))
    #expect(isNear(["Note": Self.data(1)], Self.after))
    // Between two other versions, both sides differ.
    #expect(!isNear(["Note": Self.data(1)], ["Body": Self.data(5)]))
    #expect(!isNear([:], [:]))
  }

  @Test("One that fits two other versions of the model is not a near miss")
  func others() {
    let edited = Self.after.merging(["Note": Self.data(7)]) { $1 }
    func miss(_ versions: [[String: Data]]) -> String? {
      MappingFit.nearMiss(Self.notes, from: Self.before, to: edited) { versions }
    }
    #expect(
      miss([Self.before, edited])
        == "A: the destination entity Note does not match the destination model"
    )
    #expect(miss([Self.before, Self.after, edited]) == nil)
  }
}
