// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

struct CompositeRecordTests {
  private func text(_ values: [Value]) -> [String] { values.map { "\($0)" } }

  @Test func everyKindOfValueComesBack() throws {
    let values: [Value] = [
      .null, .bool(true), .int(-7), .double(2.5), .date(12), .decimal(Decimal(string: "1.25") ?? 0),
      .decimal(.nan), .text("tëxt"), .url(try #require(URL(string: "https://example.org/a"))),
      .uuid(try #require(UUID(uuidString: "1B9FD00D-CB92-46CD-8000-0000000000AA"))),
      .data(Data([1, 2])),
    ]
    #expect(text(CompositeRecord.values(CompositeRecord.data(values))) == text(values))
  }

  @Test func anElementThatCannotBeDecodedIsNullAndTheOthersStay() throws {
    // A record whose text is replaced by bytes that are no decimal, no URL and no UUID.
    for kind in [5, 7, 8] as [UInt8] {
      var data = CompositeRecord.data([.int(1), .text(""), .text("b")])
      data[9] = kind
      #expect(text(CompositeRecord.values(data)) == text([.int(1), .null, .text("b")]), "\(kind)")
    }
  }

  @Test func aRecordThatIsCutOffIsNoRecord() {
    let data = CompositeRecord.data([.int(1), .text("abc")])
    for count in 1..<data.count where count != 9 {
      #expect(CompositeRecord.values(data.prefix(count)).isEmpty, "\(count)")
    }
    #expect(CompositeRecord.values(Data([200])).isEmpty)
  }
}
