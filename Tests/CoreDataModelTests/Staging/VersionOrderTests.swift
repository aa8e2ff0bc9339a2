// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

@Suite("The order of a model's versions")
struct VersionOrderTests {
  private func isNewer(
    _ name: String?,
    than other: String?,
    _ identifiers: (String?, String?) = (nil, nil),
    current: String? = nil
  ) -> Bool {
    func version(_ name: String?, _ identifier: String?) -> VersionOrder.Version {
      .init(name: name, identifiers: identifier.map { [$0] } ?? [])
    }
    return VersionOrder(current: current)
      .isNewer(version(name, identifiers.0), than: version(other, identifiers.1))
  }

  @Test(
    "The numbers in the names decide, also against the mark of the current version",
    arguments: [
      ("Shop 2", "Shop"), ("Shop 10", "Shop 9"), ("Model_v1.10", "Model_v1.9"),
      ("Model 2.0.1", "Model 2.0"), ("V2", "v1"), ("Notes3", "Notes 2"),
    ]
  )
  func names(_ newer: String, _ older: String) {
    #expect(isNewer(newer, than: older))
    #expect(!isNewer(older, than: newer))
    #expect(isNewer(newer, than: older, current: older))
    #expect(!isNewer(older, than: newer, current: older))
  }

  @Test("Names without common words have no order, so that the current version decides")
  func words() {
    #expect(!isNewer("Tags added", than: "Initial"))
    #expect(!isNewer("Initial", than: "Tags added"))
    #expect(isNewer("Tags added", than: "Initial", current: "Tags added"))
    #expect(!isNewer("Initial", than: "Tags added", current: "Tags added"))
    #expect(!isNewer("Shop", than: "Shop"))
  }

  @Test("Version identifiers decide if a version has no name")
  func identifiers() {
    #expect(isNewer(nil, than: "Shop", ("2.1", "2.0")))
    #expect(!isNewer(nil, than: "Shop", ("1.9", "2.0")))
    #expect(!isNewer(nil, than: "Shop", ("", "")))
    #expect(!isNewer(nil, than: "Shop"))
  }
}
