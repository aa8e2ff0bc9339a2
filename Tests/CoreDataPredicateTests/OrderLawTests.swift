// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// Sorting against slow references.
@Suite struct OrderLawTests {
  private static let letters = Array(
    "abcABCzZ-_ .,!~'19025éèêëÉñÑüõåÅçžŞãÿøßæ日\t\u{301}".unicodeScalars
  )

  private func text(_ dice: inout Dice) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...6, using: &dice) { scalars.append(dice.pick(Self.letters)) }
    return String(scalars)
  }

  @Test func `Localized comparisons give Foundation's order`() {
    var dice = Dice(21)
    for _ in 0..<15_000 {
      var left = text(&dice)
      var right = text(&dice)
      for comparison in [
        SortKey.Comparison.localized, .localizedCaseInsensitive, .localizedStandard,
      ] {
        let order = left.withUTF8 { a in right.withUTF8 { b in comparison.order(a, b) } }
        #expect(
          order.signum() == comparison.foundationOrder(left, right),
          "\(comparison) '\(left)' '\(right)'"
        )
      }
    }
  }

  /// An object that counts how often it is read.
  private final class Row: KeyedObject {
    let number: Int
    private let values: [String: Value]
    private(set) var reads = 0
    init(_ number: Int, _ values: [String: Value]) {
      self.number = number
      self.values = values
    }
    var objectKey: ObjectKey? { nil }
    func keyedValue(_ key: String) throws -> Value {
      reads += 1
      guard let value = values[key] else { throw UnknownKey(key: key, owner: "Row") }
      return value
    }
  }

  private func value(_ kind: Int, _ dice: inout Dice) -> Value {
    if Int.random(in: 0..<8, using: &dice) == 0 { return .null }
    let small = Int64.random(in: -4...4, using: &dice)
    switch kind {
    case 0: return .int(dice.pick([small, small, .max, .min, .min + 1]))
    case 1: return .double(dice.pick([Double(small) / 2, -0.0, .infinity, -.infinity, .nan]))
    case 2: return .text(text(&dice))
    case 3: return .date(Double(small))
    case 4: return .bool(small > 0)
    case 5: return .decimal(Decimal(small) / 4)
    case 6: return Bool.random(using: &dice) ? .int(small) : .double(Double(small) + 0.5)
    default: return Bool.random(using: &dice) ? .int(small) : .text(text(&dice))
    }
  }

  @Test func `Sorting is stable, reads every key once, and agrees with pairwise comparisons`()
    throws
  {
    var dice = Dice(22)
    let comparisons: [SortKey.Comparison] = [
      .standard, .standard, .caseInsensitive, .localized, .localizedCaseInsensitive,
      .localizedStandard, .opaque(OpaqueOrder { ($0.isNull ? 0 : 1) - ($1.isNull ? 0 : 1) }),
    ]
    for _ in 0..<600 {
      let kinds = (0..<3).map { _ in Int.random(in: 0..<8, using: &dice) }
      let names = ["a", "b", "c"].prefix(Int.random(in: 1...3, using: &dice))
      let keys = names.map { name in
        SortKey(name, ascending: Bool.random(using: &dice), comparison: dice.pick(comparisons))
      }
      let rows = (0..<Int.random(in: 0...60, using: &dice)).map { number in
        Row(
          number,
          ["a": value(kinds[0], &dice), "b": value(kinds[1], &dice), "c": value(kinds[2], &dice)]
        )
      }
      let sorted = try SortOrder(keys).sorted(rows)
      #expect(sorted.map(\.number) == (try reference(rows, keys)).map(\.number), "\(keys)")
    }
  }

  @Test func `Where only the case differs, the key after a case-insensitive one decides`() throws {
    let rows = ["ab", "Ab", "aB", "AB"].enumerated().map { Row($0, ["a": .text($1)]) }
    for comparison in [SortKey.Comparison.caseInsensitive, .localizedCaseInsensitive] {
      let keys = [SortKey("a", comparison: comparison), SortKey("a", ascending: false)]
      #expect(try SortOrder(keys).sorted(rows).map(\.number) == [0, 2, 1, 3], "\(comparison)")
    }
  }

  @Test func `Every key of every object is read once`() throws {
    let rows = (0..<200).map { Row($0, ["a": .int(Int64($0 % 7)), "b": .text("x\($0 % 5)")]) }
    _ = try SortOrder([SortKey("a"), SortKey("b", comparison: .localized)]).sorted(rows)
    #expect(rows.allSatisfy { $0.reads == 2 })
  }

  @Test func `An unknown key is an error`() {
    #expect(throws: UnknownKey.self) {
      try SortOrder([SortKey("z")]).sorted([Row(0, [:]), Row(1, [:])])
    }
  }

  /// Insertion by pairwise comparison of values.
  private func reference(_ rows: [Row], _ keys: [SortKey]) throws -> [Row] {
    var sorted: [Row] = []
    for row in rows {
      var place = sorted.count
      while place > 0, try order(sorted[place - 1], row, keys) > 0 { place -= 1 }
      sorted.insert(row, at: place)
    }
    return sorted
  }

  private func order(_ left: Row, _ right: Row, _ keys: [SortKey]) throws -> Int {
    for key in keys {
      let (a, b) = (try left.keyedValue(key.keyPath), try right.keyedValue(key.keyPath))
      let order = ascending(a, b, key.comparison)
      if order != 0 { return key.ascending ? order : -order }
    }
    return 0
  }

  private func ascending(_ a: Value, _ b: Value, _ comparison: SortKey.Comparison) -> Int {
    if case .opaque(let order) = comparison { return order.compare(a, b) }
    if a.isNull || b.isNull { return (a.isNull ? 0 : 1) - (b.isNull ? 0 : 1) }
    switch (a, b) {
    case (.text(let x), .text(let y)):
      switch comparison {
      case .standard: return bytewise(Array(x.utf8), Array(y.utf8))
      case .caseInsensitive:
        func folded(_ text: String) -> [UInt8] {
          Array(
            text.folding(options: .caseInsensitive, locale: nil)
              .precomposedStringWithCanonicalMapping.utf8
          )
        }
        return bytewise(folded(x), folded(y))
      default: return comparison.foundationOrder(x, y)
      }
    case (.date(let x), .date(let y)): return x < y ? -1 : x > y ? 1 : 0
    case (.text, _): return 1
    case (_, .text): return -1
    default: return numbers(a, b)
    }
  }

  private func bytewise(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  private func numbers(_ a: Value, _ b: Value) -> Int {
    if case .int(let x) = a, case .int(let y) = b { return x < y ? -1 : x > y ? 1 : 0 }
    let (x, y) = (a.number ?? 0, b.number ?? 0)
    if x.isNaN || y.isNaN { return (x.isNaN ? 0 : 1) - (y.isNaN ? 0 : 1) }
    return x < y ? -1 : x > y ? 1 : 0
  }
}
