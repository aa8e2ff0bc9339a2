// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Reads the records of a CSV file of any size.
///
/// An empty field is null, and `""` is an empty string.
struct CSVReader {
  private let file: FileHandle
  private let name: String
  private var buffer: [UInt8] = []
  private var offset = 0
  private var line = 1
  /// The line on which the most recent record ends, counted from 1; 0 before the first record.
  private(set) var lastLine = 0
  private static let chunkSize = 1 << 16

  init(_ file: FileHandle, name: String) {
    self.file = file
    self.name = name
  }

  private mutating func readByte() throws -> UInt8? {
    if offset == buffer.count {
      buffer = Array(try file.read(upToCount: Self.chunkSize) ?? Data())
      offset = 0
      if buffer.isEmpty { return nil }
    }
    defer { offset += 1 }
    if buffer[offset] == 0x0A { line += 1 }
    return buffer[offset]
  }

  /// Returns the next record; nil at the end of the file.
  ///
  /// Empty lines are skipped.
  /// - Throws: `ToolError` if a quoted field is not terminated; Foundation's error if the file cannot be
  ///   read.
  mutating func record() throws -> [Value]? {
    var fields: [Value] = []
    var bytes: [UInt8] = []
    var wasQuoted = false
    var isQuoted = false
    var isEmpty = true
    func field() -> Value {
      bytes.isEmpty && !wasQuoted ? .null : .text(String(decoding: bytes, as: UTF8.self))
    }
    var quoteLine = line
    while let byte = try readByte() {
      if isQuoted {
        guard byte == UInt8(ascii: "\"") else {
          bytes.append(byte)
          continue
        }
        // In a quoted field, two quotation marks mean one.
        if try peek() == UInt8(ascii: "\"") {
          _ = try readByte()
          bytes.append(byte)
        } else {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\"") where bytes.isEmpty && !wasQuoted:
        isQuoted = true
        wasQuoted = true
        quoteLine = line
        isEmpty = false
      case UInt8(ascii: ","):
        fields.append(field())
        bytes = []
        wasQuoted = false
        isEmpty = false
      case 0x0A:
        if isEmpty { continue }
        lastLine = line - 1
        fields.append(field())
        return fields
      case 0x0D:
        // A carriage return alone also ends a line, as in files of classic Mac OS.
        if try peek() == 0x0A { continue }
        line += 1
        if isEmpty { continue }
        lastLine = line - 1
        fields.append(field())
        return fields
      default:
        bytes.append(byte)
        isEmpty = false
      }
    }
    if isQuoted {
      throw ToolError(
        "\(name):\(quoteLine): the quoted field that begins on this line is not terminated",
        hint: "Write \" after the field. A quotation mark inside the field is written as \"\"."
      )
    }
    if isEmpty { return nil }
    lastLine = line
    fields.append(field())
    return fields
  }

  private mutating func peek() throws -> UInt8? {
    guard let byte = try readByte() else { return nil }
    offset -= 1
    if byte == 0x0A { line -= 1 }
    return byte
  }
}
