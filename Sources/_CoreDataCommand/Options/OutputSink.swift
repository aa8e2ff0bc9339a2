// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataTools

/// A buffered output to a file or to standard output.
final class OutputSink {
  private let path: String?
  private let file: FileHandle?
  private var buffer: [UInt8] = []

  /// Creates or empties the file at `path`; if `path` is nil, texts are written to standard output.
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
      throw ToolError("\(path): the file cannot be created", hint: OutputSink.obstacle(at: path))
    }
    self.file = file
  }

  private static func obstacle(at path: String) -> String {
    let url = URL(fileURLWithPath: path)
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
      return isDirectory.boolValue
        ? "It is a folder; pass the path of a file." : "Check that the file is writable."
    }
    let folder = url.deletingLastPathComponent().path
    return FileManager.default.fileExists(atPath: folder)
      ? "Check that the folder \(folder) is writable."
      : "The folder \(folder) does not exist; create it, or pass another path."
  }

  /// Writes a text to the file or to standard output.
  ///
  /// - Throws: `ToolError` if the file cannot be written, for example because the disk is full.
  func write(_ text: String) throws {
    guard file != nil else { return Terminal.write(text) }
    try write(Data(text.utf8))
  }

  /// Writes bytes to the file; must not be called for standard output.
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
      throw unwritable(error)
    }
  }

  private func unwritable(_ error: any Error) -> ToolError {
    ToolError("\(path ?? ""): the file cannot be written: \(error.localizedDescription)")
  }

  /// Writes the buffer and closes the file; does nothing for standard output.
  ///
  /// - Throws: `ToolError` if the file cannot be written, for example because the disk is full.
  func close() throws {
    try flush()
    do {
      try file?.close()
    } catch {
      throw unwritable(error)
    }
  }
}
