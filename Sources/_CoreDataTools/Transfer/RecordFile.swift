// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// One record of a file to import.
package struct TransferRecord {
  /// The name of the record's entity; nil if no entity is named.
  ///
  /// The name comes from `$entity`. If the record has no `$entity`, the name is that of the array that
  /// contains the record or, if the array has no name, that of `RecordFile.entity`.
  package var entity: String?
  /// The `$id` by which other records of the file refer to this record; nil if there is none.
  package var id: String?
  /// Property name → value.
  ///
  /// A valid `$entity` or `$id` is removed; an invalid one stays, so that the importer can report it.
  package var values: [String: Value]
  /// The number of the line on which the record ends, from 1.
  package var line: Int
}

/// A file of records that can be read several times.
///
/// A JSON file is an array of objects, or an object with an array for each entity. An NDJSON file has one
/// object on each line. In a CSV file, the first line that is not empty contains the column names.
package struct RecordFile: Sendable {
  package let url: URL
  /// The file's name in error texts.
  package let name: String
  package let format: OutputFormat
  /// The name of the entity for records that do not name their entity; nil if there is no such default.
  package let entity: String?

  /// Refers to an existing file; if `format` is nil, the path extension determines the format.
  ///
  /// - Throws: `ToolError` if the file cannot be read, or if `format` is nil and the path extension is not
  ///   known.
  package init(
    _ url: URL,
    format: OutputFormat?,
    entity: String?,
    name: String? = nil
  ) throws {
    if let error = Self.obstacle(to: url) { throw error }
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
          "\(url.path): the format cannot be derived from the name of the file",
          hint: "Pass --json, --ndjson or --csv."
        )
      }
    }
  }

  private static func obstacle(to url: URL) -> ToolError? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      return ToolError("\(url.path): the file does not exist")
    }
    if isFolder.boolValue {
      return ToolError(
        "\(url.path): the path is a folder",
        hint: "Pass the path of one file in that folder."
      )
    }
    if FileManager.default.isReadableFile(atPath: url.path) { return nil }
    return ToolError("\(url.path): the file cannot be read", hint: "Change its permissions.")
  }

  func opened() throws -> FileHandle {
    do {
      return try FileHandle(forReadingFrom: url)
    } catch {
      throw Self.obstacle(to: url)
        ?? ToolError("\(url.path): the file cannot be opened: \(ToolError(error).message)")
    }
  }

  /// Calls `body` with each record and its index; only one record is in memory at a time.
  ///
  /// `progress` is called before the first record, and then every 500 records. Its arguments are the number
  /// of records and the fraction of the file read so far; the fraction is nil if unknown.
  /// - Throws: `ToolError` with file and line if the file is invalid; `ToolError` or Foundation's error if
  ///   the file cannot be opened or read; the errors of `body`.
  package func forEach(
    progress: (Int, Double?) -> Void = { _, _ in },
    _ body: (Int, TransferRecord) throws -> Void
  ) throws {
    let file = try opened()
    // The error is dropped, because the file was only read.
    defer { try? file.close() }
    // The error is dropped: if the size is unknown, only the number of records is reported.
    let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
    var number = 0
    func emit(_ values: [String: Value], _ entity: String?, _ line: Int) throws {
      if number % 500 == 0 {
        let part = size.flatMap { size in
          // The error is dropped: if the position is unknown, only the number of records is reported.
          (try? file.offset()).map { Double($0) / max(1, size.doubleValue) }
        }
        progress(number, part)
      }
      try body(number, record(values, entity, line))
      number += 1
    }
    if format == .csv {
      try readCSV(file, emit)
    } else {
      try readJSON(file, emit)
    }
  }

  private typealias Emit = ([String: Value], String?, Int) throws -> Void

  private func record(_ values: [String: Value], _ entity: String?, _ line: Int) -> TransferRecord {
    var values = values
    var record = TransferRecord(entity: entity ?? self.entity, id: nil, values: [:], line: line)
    // An `$entity` that is not a string stays in `values`, so that the importer reports an error.
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

  static func id(_ value: Value?) -> String? {
    switch value {
    case .text(let text): text
    case .int(let number): String(number)
    default: nil
    }
  }

  private func readCSV(_ file: FileHandle, _ emit: Emit) throws {
    var reader = CSVReader(file, name: name)
    guard let head = try reader.record() else { return }
    // Some spreadsheet programs write a byte order mark at the beginning.
    let blank = CharacterSet.whitespaces.union(["\u{FEFF}"])
    let names = head.map { CellText.line($0).trimmingCharacters(in: blank) }
    if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
      throw ToolError(
        "\(name):\(reader.lastLine): two columns have the name “\(twice)”",
        hint: "Remove or rename one of them."
      )
    }
    while let fields = try reader.record() {
      let line = reader.lastLine
      if fields.count != names.count {
        throw ToolError(
          "\(name):\(line): the record has \(CellText.count(fields.count, "field")), but the file has "
            + CellText.count(names.count, "column"),
          hint:
            "Put quotation marks around fields that contain a comma, a quotation mark or a line break."
        )
      }
      try emit(Dictionary(zip(names, fields)) { first, _ in first }, nil, line)
    }
  }

  private func readJSON(_ file: FileHandle, _ emit: Emit) throws {
    var reader = JSONReader(file, name: name)
    if format == .ndjson {
      while try reader.next() != nil { try emitObject(&reader, nil, emit) }
      return
    }
    if try reader.skipIfNext("[") {
      try emitArray(&reader, nil, emit)
      return try reader.end()
    }
    guard try reader.skipIfNext("{") else {
      throw try reader.expected("an array of objects, or an object with an array for each entity")
    }
    while try !reader.skipIfNext("}") {
      let entity = try reader.key()
      guard try reader.skipIfNext("[") else {
        throw reader.error("the value of “\(entity)” must be an array of objects")
      }
      try emitArray(&reader, entity, emit)
      if try reader.skipIfNext(",") { continue }
      guard try reader.next() == UInt8(ascii: "}") else {
        throw try reader.expected("a comma or }")
      }
    }
    try reader.end()
  }

  private func emitArray(_ reader: inout JSONReader, _ entity: String?, _ emit: Emit) throws {
    while try !reader.skipIfNext("]") {
      try emitObject(&reader, entity, emit)
      if try reader.skipIfNext(",") { continue }
      guard try reader.next() == UInt8(ascii: "]") else {
        throw try reader.expected("a comma or ]")
      }
    }
  }

  private func emitObject(_ reader: inout JSONReader, _ entity: String?, _ emit: Emit) throws {
    guard case .dictionary(let values) = try reader.value() else {
      throw reader.error("a record must be a JSON object")
    }
    try emit(values, entity, reader.line)
  }
}
