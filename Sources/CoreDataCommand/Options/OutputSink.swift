// SPDX-License-Identifier: Apache-2.0

import CoreDataTools
import Foundation

/// Where long output goes: a file, or the standard output; in large pieces.
final class OutputSink {
  private let file: FileHandle?
  private var buffer: [UInt8] = []

  /// - Throws: `ToolError` where the file cannot be written.
  init(_ path: String?) throws {
    guard let path else {
      file = nil
      return
    }
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw ToolError("\(path): the file cannot be written") }
    self.file = file
  }

  func write(_ text: String) {
    guard file != nil else { return Terminal.write(text) }
    write(Data(text.utf8))
  }

  func write(_ data: Data) {
    buffer += data
    if buffer.count > 1 << 16 { flushing() }
  }

  /// What cannot be written now stays, so that `close` fails with the reason.
  private func flushing() { do { try flush() } catch { return } }

  private func flush() throws {
    try file?.write(contentsOf: buffer)
    buffer = []
  }

  /// Writes what is left.
  ///
  /// - Throws: where the disk is full.
  func close() throws {
    try flush()
    try file?.close()
  }
}
