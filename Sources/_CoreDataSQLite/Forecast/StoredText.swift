// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

/// Values of columns as text for a terminal.
enum StoredText {
  private static let limit = 40

  /// Returns the value of a column as text; for a value in an external file, the size of that file.
  ///
  /// `store` is the path of the store, which determines the folder of external files.
  static func text(of value: Binding, _ column: PropertyColumn, store: String) -> String {
    guard column.isTagged, case .blob(let data) = value else { return text(of: value, column.kind) }
    guard let name = data.withUnsafeBytes(ExternalData.fileName) else {
      return "<\(CellText.bytes(max(0, data.count - 1)))>"
    }
    let size = ValueFolder(store: store).size(name)
    return size.map { "<\(CellText.bytes($0))>" } ?? "<missing file \(name)>"
  }

  static func text(of value: Binding, _ kind: SlotKind) -> String {
    switch (value, kind) {
    case (.double(let seconds), .date): CellText.date(seconds)
    case (.integer(let seconds), .date): CellText.date(Double(seconds))
    case (.integer(let flag), .boolean): flag == 0 ? "false" : "true"
    case (.integer(let number), _): String(number)
    case (.double(let number), _): CellText.double(number)
    case (.text(""), _), (.converted("", _), _): "\"\""
    case (.text(let text), _), (.converted(let text, _), _):
      text.count > limit ? text.prefix(limit) + "…" : text
    case (.blob(let data), _): CellText.line(.data(data))
    case (.null, _): "nil"
    }
  }
}
