// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

struct RowChunkTests {
  static let kinds: [SlotKind] = [
    .integer, .boolean, .double, .date, .decimal, .text, .url, .uuid, .data, .reference, .opaque,
    .none,
  ]

  static func values(_ seed: Int) throws -> [Value] {
    [
      .int(Int64(seed) - 3), .bool(seed % 2 == 0), .double(Double(seed) / 4),
      .date(Double(seed) * 1000), .decimal(Decimal(seed) / 8),
      .text("tëxt \(seed)"), .url(try #require(URL(string: "https://example.org/\(seed)"))),
      .uuid(try #require(UUID(uuidString: "1B9FD00D-CB92-46CD-8000-0000000000AA"))),
      .data(Data(repeating: UInt8(truncatingIfNeeded: seed), count: seed % 50)),
      .key(ObjectKey.temporary(entity: 1, number: Int64(seed))), .data(Data([1, 2, 3])),
    ]
  }

  @Test func everyKindOfValueReadsBackAsItWasWritten() throws {
    let chunk = RowChunk(layout: RowLayout(kinds: Self.kinds), capacity: 300)
    for seed in 0..<300 {
      let row = chunk.appendRow()
      for (slot, value) in try Self.values(seed).enumerated() {
        #expect(chunk.setValue(row, slot, value))
      }
    }
    for row in 0..<300 {
      for (slot, value) in try Self.values(row).enumerated() {
        #expect("\(chunk.value(row, slot))" == "\(value)")
      }
    }
  }

  @Test func aNewRowIsNullInEverySlotAndHasVersionZero() {
    let chunk = RowChunk(
      layout: RowLayout(kinds: Array(repeating: .integer, count: 130)),
      capacity: 2
    )
    let row = chunk.appendRow()
    #expect((0..<130).allSatisfy { chunk.isNull(row, $0) })
    #expect(chunk.version(row) == 0)
    for slot in [0, 31, 32, 95, 96, 129] {
      chunk.setInteger(row, slot, Int64(slot))
      #expect(!chunk.isNull(row, slot) && chunk.integer(row, slot) == Int64(slot))
    }
    #expect((0..<130).filter { !chunk.isNull(row, $0) } == [0, 31, 32, 95, 96, 129])
    chunk.setNull(row, 96)
    chunk.setNull(row, 31)
    #expect((0..<130).filter { !chunk.isNull(row, $0) } == [0, 32, 95, 129])
  }

  @Test func theVersionIsApartFromTheNullBits() {
    let chunk = RowChunk(layout: RowLayout(kinds: [.integer, .text]), capacity: 1)
    let row = chunk.appendRow()
    chunk.setVersion(row, 0xFFFF_FFFF)
    #expect(chunk.version(row) == 0xFFFF_FFFF && chunk.isNull(row, 0) && chunk.isNull(row, 1))
    chunk.setInteger(row, 0, 1)
    chunk.setVersion(row, 7)
    #expect(chunk.version(row) == 7 && !chunk.isNull(row, 0) && chunk.isNull(row, 1))
  }

  @Test func textsGrowAndShrinkInPlace() {
    let chunk = RowChunk(layout: RowLayout(kinds: [.text, .text]), capacity: 1)
    let row = chunk.appendRow()
    chunk.setText(row, 1, "neighbour")
    for text in ["long enough to move", "short", "", String(repeating: "é", count: 500), "x"] {
      chunk.setText(row, 0, text)
      #expect(chunk.text(row, 0) == text && chunk.text(row, 1) == "neighbour")
    }
  }

  @Test func aShorterTextReusesItsPlace() {
    let chunk = RowChunk(layout: RowLayout(kinds: [.text]), capacity: 1)
    let row = chunk.appendRow()
    chunk.setText(row, 0, "0123456789")
    let used = chunk.arenaUsed
    chunk.setText(row, 0, "01234")
    #expect(chunk.arenaUsed == used)
  }

  @Test func aCopyOfARowStandsOnItsOwn() throws {
    let layout = RowLayout(kinds: Self.kinds)
    let source = RowChunk(layout: layout, capacity: 1)
    let row = source.appendRow()
    for (slot, value) in try Self.values(9).enumerated() { source.setValue(row, slot, value) }
    source.setVersion(row, 4)
    let target = RowChunk(layout: layout, capacity: 1)
    let copy = target.appendCopy(of: source, row: row)
    for slot in Self.kinds.indices { #expect(target.slotEquals(copy, slot, of: source, row: row)) }
    #expect(target.version(copy) == 4)
    source.setText(row, 5, "other")
    #expect(target.text(copy, 5) == "tëxt 9")
    #expect(!target.slotEquals(copy, 5, of: source, row: row))
    source.setNull(row, 0)
    #expect(!target.slotEquals(copy, 0, of: source, row: row))
  }

  @Test func aCopyOfARowOfTheSameChunkOutlivesTheMoveOfTheBytes() {
    let chunk = RowChunk(layout: RowLayout(kinds: [.text, .text]), capacity: 12)
    let row = chunk.appendRow()
    // Long enough for the allocator to give the old bytes back at once when they move.
    let texts = ["a", "b"].map { String(repeating: $0, count: 300_000) }
    for (slot, text) in texts.enumerated() { chunk.setText(row, slot, text) }
    for _ in 1..<6 {
      let copy = chunk.appendCopy(of: chunk, row: row)
      for (slot, text) in texts.enumerated() { #expect(chunk.text(copy, slot) == text) }
    }
  }

  @Test func aDecimalThatNoIntegerEqualsIsTruncatedAndOneOutOfRangeIsRefused() {
    let chunk = RowChunk(layout: RowLayout(kinds: [.integer]), capacity: 1)
    let row = chunk.appendRow()
    let fitting: [(String, Int64)] = [
      ("9223372036854775807", .max), ("9223372036854775807.9", .max),
      ("-9223372036854775808", .min), ("-9223372036854775808.9", .min), ("-2.9", -2), ("2.9", 2),
      ("0.33333333333333333333333333333333333333", 0), ("1e3", 1000),
    ]
    for (text, whole) in fitting {
      #expect(chunk.setValue(row, 0, .decimal(Decimal(string: text) ?? .nan)), "\(text)")
      #expect(chunk.integer(row, 0) == whole, "\(text)")
    }
    for text in ["9223372036854775808", "-9223372036854775809", "1e30", "-1e100"] {
      #expect(!chunk.setValue(row, 0, .decimal(Decimal(string: text) ?? 0)), "\(text)")
    }
    #expect(!chunk.setValue(row, 0, .decimal(.nan)))
    #expect(chunk.integer(row, 0) == 1000, "what is refused changes nothing")
  }

  @Test func numbersConvertAndMisfitsAreRefused() {
    let chunk = RowChunk(
      layout: RowLayout(kinds: [.integer, .boolean, .double, .decimal, .text]),
      capacity: 1
    )
    let row = chunk.appendRow()
    #expect(chunk.setValue(row, 0, .double(3.9)) && chunk.integer(row, 0) == 3)
    #expect(chunk.setValue(row, 0, .bool(true)) && chunk.integer(row, 0) == 1)
    #expect(chunk.setValue(row, 2, .int(5)) && chunk.double(row, 2) == 5)
    #expect(chunk.setValue(row, 3, .int(5)) && "\(chunk.value(row, 3))" == "decimal(5)")
    #expect(!chunk.setValue(row, 4, .int(5)) && chunk.isNull(row, 4))
    #expect(!chunk.setValue(row, 0, .double(.infinity)) && chunk.integer(row, 0) == 1)
    #expect(!chunk.setValue(row, 0, .text("1")))
    #expect(chunk.setValue(row, 0, .null) && chunk.isNull(row, 0))
  }
}
