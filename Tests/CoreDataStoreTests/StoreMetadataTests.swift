// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataStore

@Suite("Metadata as a property list")
struct StoreMetadataTests {
  @Test("Every value that a property list holds is read as it was written")
  func roundTrip() throws {
    let values: [String: Any] = [
      "text": "a", "foundation text": NSString(string: "ü"), "flag": true,
      "boxed flag": NSNumber(value: false), "number": 7, "small": Int8(-3),
      "boxed": NSNumber(value: 1 << 40), "real": 1.5, "float": Float(0.25),
      "date": Date(timeIntervalSinceReferenceDate: 12.5), "data": Data([1, 2]),
      "array": ["x", "y"], "foundation array": NSArray(array: ["x", 1]), "empty": [String](),
      "dictionary": ["a": Data([3]), "b": Data()],
      "nested": ["list": [["deep": [1, 2]]], "map": NSDictionary(dictionary: ["k": "v"])],
    ]
    let list = try StoreMetadata(values).propertyList()
    let read = try StoreMetadata(propertyList: list).values
    let foundation = try #require(
      PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any]
    )
    for read in [read, foundation] {
      #expect(NSDictionary(dictionary: read) == NSDictionary(dictionary: values))
    }
    // Truth values are not numbers.
    #expect(read["flag"] as? NSNumber == NSNumber(value: true))
    #expect(list == (try StoreMetadata(read).propertyList()))
  }

  @Test(
    "What no property list holds is refused, and the error names its key",
    arguments: ["url", "null", "beyond", "numbered", "inside"]
  )
  func refused(_ key: String) throws {
    let values: [String: Any] = [
      "url": URL(fileURLWithPath: "/tmp"), "null": NSNull(), "beyond": UInt64.max,
      "numbered": [1: "a"], "inside": ["list": ["a", Set([1])] as [Any]],
    ]
    let error = #expect(throws: CocoaError.self) {
      try StoreMetadata(["fine": 1, key: try #require(values[key])]).propertyList()
    }
    #expect(error?.code == .propertyListWriteInvalid)
    let place = key == "inside" ? "“inside.list.1”" : "“\(key)”"
    #expect(error?.localizedDescription.contains(place) == true)
    let isInteger = error?.localizedDescription.contains("18446744073709551615") == true
    #expect(isInteger == (key == "beyond"))
  }
}
