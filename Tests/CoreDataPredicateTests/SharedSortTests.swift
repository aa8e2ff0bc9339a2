// SPDX-License-Identifier: Apache-2.0

import Foundation
import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// The shared sort cases; a failure names the row.
@Suite(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
struct SharedSortTests {
  @Test func `Sorting gives the expected order`() throws {
    let all = try SharedCase.all("sort-cases.tsv") { _ in true }
    #expect(all.count == 54)
    // Three show other libraries, two are refused by a store.
    let rows = all.filter {
      !["realm-only", "mio-only"].contains($0["engine"]) && $0["mode"] != "throws"
    }
    var agreed = 0
    for row in rows {
      let order = SortOrder(try row.json("descriptors").elements.map(key))
      let world = SampleWorld()
      let data = try row.json("data").elements
      let expected = try row.json("expected")
      let agrees: Bool
      if case .int(let sign) = expected {
        let found = try order.compare(world.value(data[0]), world.value(data[1]))
        agrees = found.signum() == Int(sign)
      } else {
        let sorted = try order.sorted(data) { world.value($0) }.map { $0["id"] ?? $0 }
        agrees = fits(sorted, expected.elements)
      }
      #expect(agrees, "\(row.id) \(row["descriptors"]) \(row["data"])")
      agreed += agrees ? 1 : 0
    }
    #expect(agreed == 49)
  }

  /// A step that is an array may come in any order within itself.
  private func fits(_ sorted: [JSON], _ steps: [JSON]) -> Bool {
    var rest = sorted[...]
    for step in steps {
      let group = step.elements.isEmpty ? [step] : step.elements
      if Set(rest.prefix(group.count)) != Set(group) { return false }
      rest = rest.dropFirst(group.count)
    }
    return rest.isEmpty
  }

  private func key(_ json: JSON) throws -> SortKey {
    SortKey(
      json["key"]?.text ?? "",
      ascending: json["ascending"] != .bool(false),
      comparison: try comparison(json["selector"]?.text ?? "compare:")
    )
  }

  private func comparison(_ selector: String) throws -> SortKey.Comparison {
    switch selector {
    case "compare:": return .standard
    case "caseInsensitiveCompare:": return .caseInsensitive
    case "localizedCompare:": return .localized
    case "localizedCaseInsensitiveCompare:": return .localizedCaseInsensitive
    case "localizedStandardCompare:": return .localizedStandard
    case "comparator: index in (Velma, Daphne, Scooby)":
      let names = ["Velma", "Daphne", "Scooby"]
      return comparator { names.firstIndex(of: $0) ?? 0 }
    case "comparator intValue":
      return .opaque(OpaqueOrder { Int(($0.truncated ?? 0) - ($1.truncated ?? 0)) })
    case "compare:options: diacriticInsensitive":
      let folding = TextFolding(.diacriticInsensitive)
      return .opaque(OpaqueOrder { folding.order(self.text($0), self.text($1)) })
    case "compare:options: numeric":
      return .opaque(
        OpaqueOrder { self.text($0).compare(self.text($1), options: .numeric).rawValue }
      )
    default: throw UnknownSelector(name: selector)
    }
  }

  private func comparator(_ rank: @escaping (String) -> Int) -> SortKey.Comparison {
    .opaque(OpaqueOrder { rank(self.text($0)) - rank(self.text($1)) })
  }

  private func text(_ value: Value) -> String {
    if case .text(let text) = value { text } else { "" }
  }
}

private struct UnknownSelector: Error {
  let name: String
}
