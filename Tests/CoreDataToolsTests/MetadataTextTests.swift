// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataStore
import _CoreDataTools

struct MetadataTextTests {
  @Test("Numbers are shown as they are: integers of every size, fractions, truth values")
  func numbers() {
    let numbers: [(NSNumber, String)] = [
      (NSNumber(value: Int64.max), "9223372036854775807"),
      (NSNumber(value: Int64.min), "-9223372036854775808"),
      (NSNumber(value: 9_007_199_254_740_993), "9007199254740993"),
      (NSNumber(value: UInt64.max), "18446744073709551615"), (NSNumber(value: 7), "7"),
      (NSNumber(value: 2.5), "2.5"), (NSNumber(value: true), "true"), (NSNumber(value: 1), "1"),
    ]
    for (number, text) in numbers {
      #expect(MetadataText.json(StoreMetadata(["a": number])) == "{\"a\":\(text)}", "\(number)")
    }
    #expect(MetadataText.json(StoreMetadata(["a": Int64.max])) == "{\"a\":9223372036854775807}")
  }
}
