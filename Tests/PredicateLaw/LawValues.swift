// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Values that rows and constants are made of: few, so that they meet, and with odd ones among them.
enum LawValues {
  static let texts = [
    "", "a", "A", "b", "ab", "Ab", "aB", "abc", "ABC", "abd", "Äb", "äB", "straße", "STRASSE",
    "\u{E9}", "e\u{301}", "E", "x'y", "b%", "a_c", "a*c", "a?c", "a\\c", "testą", "Testa", "日本",
    "😀", "😀a", "İ", "ı", "i", "ﬁ", "Σ", "ς", "σ", "10", "2", "1.5", "item 2", "item 10",
    "\u{10FFFF}", " ", "a b", "a\"b",
  ]
  static let patterns = [
    "*", "a*", "*b", "*b*", "?", "a?", "??", "a*c", "A*", "\\*", "a\\*c", "*ä*", "item*", "abc",
    "", "a**c", "?*",
  ]
  static let expressions = [
    "a.*", "[a-c]+", ".*b.*", "\\w+", "a|b", ".", "", "item \\d+", "(?i)AB", "[^a]*",
  ]
  static let urls = ["http://a.org/x", "http://a.org/X", "file:///tmp/b"].compactMap {
    URL(string: $0)
  }
  static let uuids = [
    "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-0000000000FF",
    "F0000000-0000-0000-0000-000000000001",
  ].compactMap { UUID(uuidString: $0) }
  static let blobs = [Data(), Data([0]), Data([1, 2]), Data([1, 2, 3]), Data([255])]

  static func value(_ type: AttributeType, _ random: inout LawRandom) -> Value {
    switch type {
    case .integer16, .integer32: return .int(Int64(random.below(9) - 3))
    case .integer64:
      if random.chance(10) { return .int(random.pick([.max, .min, 1 << 53, (1 << 53) + 1])) }
      return .int(Int64(random.below(9) - 3))
    case .double:
      if random.chance(10) {
        return .double(random.pick([1e300, -1e300, 0.1, 9_007_199_254_740_992]))
      }
      return .double(Double(random.below(13) - 6) / 2)
    case .float: return .double(Double(random.below(13) - 6) / 4)
    case .decimal:
      if random.chance(8) { return .decimal(.nan) }
      return .decimal(
        random.pick(
          ["0", "1", "2", "-1.5", "0.1", "0.2", "0.3", "12.34"].compactMap {
            Decimal(string: $0)
          }
        )
      )
    case .boolean: return .bool(random.chance(50))
    case .date: return .date(Double(random.below(9) - 2) / 2)
    case .uuid: return .uuid(random.pick(uuids))
    case .uri: return .url(random.pick(urls))
    case .binaryData: return .data(random.pick(blobs))
    default: return .text(random.pick(texts))
    }
  }
}
