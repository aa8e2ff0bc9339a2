// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// One object of a file that is imported.
package struct TransferRecord {
  /// `$entity`, or the name it stands under; nil where the file does not say.
  package var entity: String?
  /// `$id`: what other records of the file call it.
  package var id: String?
  package var values: [String: Value]
  /// Line of the file where it ends, from 1.
  package var line: Int
}

/// A file of records, which can be read as often as it is needed.
///
/// JSON is an array of objects, or an object with an array for each entity; NDJSON an object a line; CSV
/// has names in its first line.
package struct RecordFile: Sendable {
  package let url: URL
  /// What errors call the file.
  package let name: String
  package let format: OutputFormat
  /// The entity of records that name none.
  package let entity: String?

  /// The form follows from the file's name where `format` is nil.
  ///
  /// - Throws: `ToolError` for a missing file, and for a name that says nothing.
  package init(
    _ url: URL,
    format: OutputFormat?,
    entity: String?,
    name: String? = nil
  ) throws {
    guard FileManager.default.isReadableFile(atPath: url.path) else {
      throw ToolError("\(url.path): the file cannot be read")
    }
    self.url = url
    self.name = name ?? url.lastPathComponent
    self.entity = entity
    if let format {
      self.format = format
    } else {
      switch url.pathExtension.lowercased() {
      case "json": self.format = .json
      case "ndjson", "jsonl": self.format = .ndjson
      case "csv": self.format = .csv
      default:
        throw ToolError(
          "\(url.path): its name does not tell its form",
          hint: "Say --json, --ndjson or --csv."
        )
      }
    }
  }

  /// Calls `body` with each record and its number, from 0; memory holds one record.
  ///
  /// `progress` is told, before every 500th record, its number and the part of the file that was read.
  /// - Throws: `ToolError` with file and line; what `body` throws.
  package func forEach(
    progress: (Int, Double?) -> Void = { _, _ in },
    _ body: (Int, TransferRecord) throws -> Void
  ) throws {
    guard let file = FileHandle(forReadingAtPath: url.path) else {
      throw ToolError("\(url.path): the file cannot be read")
    }
    // Nothing was written that closing could lose.
    defer { try? file.close() }
    // For the progress alone; without a size it shows the number of records.
    let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
    var number = 0
    func give(_ values: [String: Value], _ entity: String?, _ line: Int) throws {
      if number % 500 == 0 {
        let part = size.flatMap { size in
          // As above.
          (try? file.offset()).map { Double($0) / max(1, size.doubleValue) }
        }
        progress(number, part)
      }
      try body(number, record(values, entity, line))
      number += 1
    }
    if format == .csv {
      try readCSV(file, give)
    } else {
      try readJSON(file, give)
    }
  }

  private typealias Give = ([String: Value], String?, Int) throws -> Void

  private func record(_ values: [String: Value], _ entity: String?, _ line: Int) -> TransferRecord {
    var values = values
    var record = TransferRecord(entity: entity ?? self.entity, id: nil, values: [:], line: line)
    // What is neither stays, and is refused as a property that the model does not have.
    if case .text(let name)? = values["$entity"] {
      record.entity = name
      values["$entity"] = nil
    }
    if let id = Self.id(values["$id"]) {
      record.id = id
      values["$id"] = nil
    }
    record.values = values
    return record
  }

  /// What a file calls an object: a text or a whole number; nil for anything else.
  static func id(_ value: Value?) -> String? {
    switch value {
    case .text(let text): text
    case .int(let number): String(number)
    default: nil
    }
  }

  private func readCSV(_ file: FileHandle, _ give: Give) throws {
    var reader = CSVReader(file, name: name)
    guard let head = try reader.record() else { return }
    // Spreadsheets put a mark of the byte order in front.
    let blank = CharacterSet.whitespaces.union(["\u{FEFF}"])
    let names = head.map { CellText.line($0).trimmingCharacters(in: blank) }
    if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      throw ToolError("\(name):1: two columns are called “\(twice)”")
    }
    while let fields = try reader.record() {
      let line = reader.line - 1
      if fields.count != names.count {
        throw ToolError(
          "\(name):\(line): it has \(fields.count) fields, "
            + "the first line \(names.count)"
        )
      }
      try give(Dictionary(zip(names, fields)) { first, _ in first }, nil, line)
    }
  }

  private func readJSON(_ file: FileHandle, _ give: Give) throws {
    var reader = JSONReader(file, name: name)
    if format == .ndjson {
      while try reader.next() != nil { try giveObject(&reader, nil, give) }
      return
    }
    if try reader.takes("[") {
      try giveArray(&reader, nil, give)
      return try reader.end()
    }
    guard try reader.takes("{") else {
      throw reader.error("expected an array of objects, or an object with an array for each entity")
    }
    while try !reader.takes("}") {
      let entity = try reader.key()
      guard try reader.takes("[") else {
        throw reader.error("“\(entity)” should be an array of objects")
      }
      try giveArray(&reader, entity, give)
      _ = try reader.takes(",")
    }
    try reader.end()
  }

  /// Behind the opening bracket.
  private func giveArray(_ reader: inout JSONReader, _ entity: String?, _ give: Give) throws {
    while try !reader.takes("]") {
      try giveObject(&reader, entity, give)
      if try reader.takes(",") { continue }
      guard try reader.next() == UInt8(ascii: "]") else { throw reader.error("expected , or ]") }
    }
  }

  private func giveObject(_ reader: inout JSONReader, _ entity: String?, _ give: Give) throws {
    guard case .dictionary(let values) = try reader.value() else {
      throw reader.error("a record should be an object")
    }
    try give(values, entity, reader.line)
  }
}
