// SPDX-License-Identifier: Apache-2.0

/// A list of values as one JSON array, which is bound as the argument of `json_each`.
package enum JSONList {
  /// Returns `values` as an array; nil if a value has no exact form in JSON, such as a blob or an infinite
  /// number.
  package static func text(_ values: [Binding]) -> String? {
    var text = "["
    text.reserveCapacity(values.count * 8 + 2)
    for (index, value) in values.enumerated() {
      if index > 0 { text += "," }
      switch value {
      case .null: text += "null"
      case .integer(let number): text += String(number)
      case .double(let number):
        guard number.isFinite else { return nil }
        text += number.description
      case .text(let string): append(string, to: &text)
      case .blob, .converted: return nil
      }
    }
    return text + "]"
  }

  /// Returns `numbers` as a JSON array.
  ///
  /// The parameter is an array, because a generic sequence would not be specialized in other modules.
  package static func text(_ numbers: [Int64]) -> String {
    var text = [UInt8(ascii: "[")]
    text.reserveCapacity(numbers.count * 8 + 2)
    for number in numbers {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      append(number, to: &text)
    }
    text.append(UInt8(ascii: "]"))
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ number: Int64, to text: inout [UInt8]) {
    if number < 0 { text.append(UInt8(ascii: "-")) }
    var first = text.count
    var rest = number.magnitude
    repeat {
      text.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    // Reversing a slice would copy it.
    var last = text.count - 1
    while first < last {
      text.swapAt(first, last)
      (first, last) = (first + 1, last - 1)
    }
  }

  private static func append(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
