// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataTools

/// A buffered output to a file or to standard output.
final class OutputSink {
  private let path: String?
  private let file: FileHandle?
  private var buffer: [UInt8] = []

  /// Creates the file at `path`; if `path` is nil, texts are written to standard output.
  ///
  /// - Throws: `ToolError` if the file cannot be created.
  init(_ path: String?) throws {
    self.path = path
    guard let path else {
      file = nil
      return
    }
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else {
      throw ToolError(
        "\(path): the file cannot be created",
        hint: "Check that its folder exists and is writable."
      )
    }
    self.file = file
  }

  /// Writes a text.
  ///
  /// - Throws: `ToolError` if the file cannot be written, for example because the disk is full.
  func write(_ text: String) throws {
    guard file != nil else { return Terminal.write(text) }
    try write(Data(text.utf8))
  }

  /// Writes bytes to the file.
  ///
  /// - Throws: `ToolError` if the file cannot be written, for example because the disk is full.
  func write(_ data: Data) throws {
    buffer += data
    if buffer.count > 1 << 16 { try flush() }
  }

  private func flush() throws {
    defer { buffer.removeAll(keepingCapacity: true) }
    do {
      try file?.write(contentsOf: buffer)
    } catch {
      throw ToolError("\(path ?? ""): the file cannot be written", hint: error.localizedDescription)
    }
  }

  /// Writes the buffer and closes the file.
  ///
  /// - Throws: `ToolError` if the file cannot be written, for example because the disk is full.
  func close() throws {
    try flush()
    try file?.close()
  }
}
