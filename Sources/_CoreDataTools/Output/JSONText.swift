// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Formats values as JSON on one line; numbers keep all their digits.
package enum JSONText {
  /// Options for formatting values.
  package struct Options: Sendable {
    /// Whether data is written in Base64; otherwise only its size is written.
    package var writesData = false
    package init(writesData: Bool = false) { self.writesData = writesData }
  }

  /// Returns a JSON object on one line, including the members whose value is null.
  package static func object(
    _ members: [(String, Value)],
    _ options: Options = Options()
  ) -> String {
    "{" + members.map { "\(quoted($0.0)):\(value($0.1, options))" }.joined(separator: ",") + "}"
  }

  /// Returns a value as JSON on one line.
  ///
  /// Values without a JSON form, such as dates and numbers that are not finite, become strings.
  package static func value(_ value: Value, _ options: Options = Options()) -> String {
    switch value {
    case .null: return "null"
    case .bool(let flag): return flag ? "true" : "false"
    case .int(let number): return String(number)
    case .double(let number):
      return number.isFinite ? CellText.double(number) : quoted("\(number)")
    case .decimal(let number): return number.isFinite ? number.description : quoted("nan")
    case .data(let data):
      return quoted(options.writesData ? data.base64EncodedString() : CellText.bytes(data.count))
    case .collection(let collection):
      return "[" + collection.members.map { Self.value($0, options) }.joined(separator: ",") + "]"
    case .dictionary(let entries):
      return object(
        entries.sorted { utf8Less($0.key, $1.key) }.map { ($0.key, $0.value) },
        options
      )
    default: return quoted(CellText.line(value))
    }
  }

  /// Returns the text as a quoted JSON string.
  package static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
