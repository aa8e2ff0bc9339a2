// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Documented behaviour of NSSortDescriptor.
@Suite struct SortDescriptorTests {
  private let rows: [[String: Any]] = [
    ["name": "b", "wins": 2], ["name": "a", "wins": 9], ["name": "C", "wins": 2], ["wins": 5],
  ]

  private func names(_ descriptors: [NSSortDescriptor]) -> [String] {
    NSArray(array: rows).sortedArray(using: descriptors).map {
      ($0 as? [String: Any])?["name"] as? String ?? "-"
    }
  }

  @Test func `Keys are compared by size, texts by code units, nil first`() {
    #expect(names([NSSortDescriptor(key: "name", ascending: true)]) == ["-", "C", "a", "b"])
    #expect(names([NSSortDescriptor(key: "name", ascending: false)]) == ["b", "a", "C", "-"])
    #expect(
      names([
        NSSortDescriptor(key: "wins", ascending: false),
        NSSortDescriptor(key: "name", ascending: true, selector: "caseInsensitiveCompare:"),
      ]) == ["a", "-", "b", "C"]
    )
  }

  @Test func `A descriptor tells its key, direction and selector, and reverses`() throws {
    let descriptor = NSSortDescriptor(
      key: "name",
      ascending: true,
      selector: Selector("localizedStandardCompare:")
    )
    #expect(descriptor.key == "name")
    #expect(descriptor.ascending)
    #expect(descriptor.selector == "localizedStandardCompare:")
    let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
    #expect(!reversed.ascending)
    #expect(reversed.key == "name")
    #expect(reversed.compare(["name": "a"], to: ["name": "b"]) == .orderedDescending)
    #expect(reversed.reversedSortDescriptor as? NSSortDescriptor == descriptor)
  }

  @Test func `A comparator decides in memory`() {
    let byLength = NSSortDescriptor(key: nil, ascending: true) { left, right in
      let left = (left as? String)?.count ?? 0
      let right = (right as? String)?.count ?? 0
      return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
    }
    let sorted = NSArray(array: ["ccc", "a", "bb"]).sortedArray(using: [byLength])
    #expect(sorted as? [String] == ["a", "bb", "ccc"])
    #expect(byLength.selector == nil)
  }
}

/// Swift's sort descriptors over generated classes.
@Suite struct SwiftSortDescriptorTests {
  @Test func `Swift's sort descriptors sort fetches`() {
    let descriptor = NSSortDescriptor(SortDescriptor(\BookObject.pages, order: .reverse))
    #expect(descriptor.key == "pages")
    #expect(!descriptor.ascending)
    #expect(descriptor.keyPath == \BookObject.pages)
    #expect(
      NSSortDescriptor(SortDescriptor(\BookObject.title))
        == NSSortDescriptor(key: "title", ascending: true)
    )
  }
}
