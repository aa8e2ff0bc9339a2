// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Functions that format values as CSV, quoted as in RFC 4180.
package enum CSVText {
  /// Returns a record without its final line break.
  ///
  /// Null becomes an empty field, and an empty string becomes `""`.
  package static func line(
    _ values: [Value],
    _ options: JSONText.Options = JSONText.Options()
  ) -> String {
    values.map { field($0, options) }.joined(separator: ",")
  }

  private static func field(_ value: Value, _ options: JSONText.Options) -> String {
    switch value {
    case .null: ""
    case .text(""): "\"\""
    case .data(let data) where options.writesData: data.base64EncodedString()
    case .collection, .dictionary: quoted(JSONText.value(value, options))
    default: quoted(CellText.line(value))
    }
  }

  private static func quoted(_ text: String) -> String {
    let needs = text.utf8.contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }
    let isPadded = text.first == " " || text.last == " "
    if !needs && !isPadded { return text }
    return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }
}
