// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

/// The traits of the types of attributes.
@Suite struct AttributeTraitsTests {
  @Test("Each type has a name of its own in model files")
  func names() {
    let names = AttributeType.allCases.map(\.traits.modelFileName)
    #expect(Set(names).count == AttributeType.allCases.count)
    #expect(AttributeType.integer16.traits.modelFileName == "Integer 16")
    #expect(AttributeType.binaryData.traits.modelFileName == "Binary")
  }

  @Test("A type has a column, except an undefined one, an object ID and a composite")
  func columns() {
    let without = AttributeType.allCases.filter { $0.traits.column == nil }
    #expect(Set(without) == [.undefined, .objectID, .composite])
  }

  @Test("Columns are declared as the file format declares them, in the order of their groups")
  func declaredTypes() {
    let declared = ColumnGroup.allCases.map { group in
      Set(
        AttributeType.allCases.compactMap(\.traits.column).filter { $0.group == group }
          .map(\.declaredType)
      )
    }
    #expect(
      declared == [
        ["INTEGER"], ["FLOAT", "TIMESTAMP"], ["DECIMAL"], ["VARCHAR"], ["VARCHAR"], ["BLOB"],
        ["BLOB"], ["BLOB"],
      ]
    )
  }

  @Test("A type with a column has a slot that holds its value, and not an object")
  func slots() {
    for type in AttributeType.allCases where type.traits.column != nil {
      #expect(type.traits.slot != .none && type.traits.slot != .reference, "\(type)")
      #expect(SlotKind(type) == type.traits.slot, "\(type)")
    }
  }

  @Test("Whole numbers have the bounds of their Swift type")
  func bounds() {
    var found: [AttributeType: ClosedRange<Int64>] = [:]
    for type in AttributeType.allCases {
      if case .whole(let range) = type.traits.form { found[type] = range }
    }
    #expect(
      found == [
        .integer16: Int64(Int16.min)...Int64(Int16.max),
        .integer32: Int64(Int32.min)...Int64(Int32.max), .integer64: Int64.min...Int64.max,
      ]
    )
  }

  @Test("Numbers, truth values and dates have scalars, named as in Swift")
  func scalars() {
    var names: [AttributeType: String] = [:]
    for type in AttributeType.allCases {
      switch type.traits.scalar {
      case .standard(let name)?: names[type] = name
      case .interval?: names[type] = "TimeInterval"
      case nil: break
      }
    }
    #expect(
      names == [
        .integer16: "Int16", .integer32: "Int32", .integer64: "Int64", .double: "Double",
        .float: "Float", .boolean: "Bool", .date: "TimeInterval",
      ]
    )
  }
}
