// SPDX-License-Identifier: Apache-2.0

/// One call of the results controller's delegate, as the page gets it.
///
/// `from` and the place of a deletion or update count in the list before the round, `to` and the
/// place of an insertion in the list after it, as in `UITableView`.
enum ListChange: Sendable {
  case insertSection(at: Int, name: String)
  case deleteSection(at: Int)
  case insertRow(at: Place, TeamRow)
  case deleteRow(at: Place)
  case moveRow(from: Place, to: Place, TeamRow)
  case updateRow(at: Place, TeamRow)
}

extension ListChange: Encodable {
  private enum Key: CodingKey { case kind, section, name, from, to, row }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .insertSection(let section, let name):
      try fields.encode("insertSection", forKey: .kind)
      try fields.encode(section, forKey: .section)
      try fields.encode(name, forKey: .name)
    case .deleteSection(let section):
      try fields.encode("deleteSection", forKey: .kind)
      try fields.encode(section, forKey: .section)
    case .insertRow(let to, let row):
      try fields.encode("insertRow", forKey: .kind)
      try fields.encode(to, forKey: .to)
      try fields.encode(row, forKey: .row)
    case .deleteRow(let from):
      try fields.encode("deleteRow", forKey: .kind)
      try fields.encode(from, forKey: .from)
    case .moveRow(let from, let to, let row):
      try fields.encode("moveRow", forKey: .kind)
      try fields.encode(from, forKey: .from)
      try fields.encode(to, forKey: .to)
      try fields.encode(row, forKey: .row)
    case .updateRow(let from, let row):
      try fields.encode("updateRow", forKey: .kind)
      try fields.encode(from, forKey: .from)
      try fields.encode(row, forKey: .row)
    }
  }
}
