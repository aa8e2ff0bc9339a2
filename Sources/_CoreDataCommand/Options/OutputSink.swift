// SPDX-License-Identifier: Apache-2.0

#if Command
import Foundation
import _CoreDataTools

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw ToolError(
        "\(path): the file cannot be created: \(reason)",
        hint: OutputSink.hint(for: path)
      )
    }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Returns what the user can do about a file that cannot be created; nil if the folder and the permissions
  /// do not show the cause, for example if the disk is full.
  private static func hint(for path: String) -> String? {
    let manager = FileManager.default
    var isDirectory: ObjCBool = false
    if manager.fileExists(atPath: path, isDirectory: &isDirectory) {
      if isDirectory.boolValue { return "The path is a folder; pass the path of a file." }
      return manager.isWritableFile(atPath: path) ? nil : "Make the file writable."
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if !manager.fileExists(atPath: folder) {
      return "The folder \(folder) does not exist; create it, or pass another path."
    }
    return manager.isWritableFile(atPath: folder) ? nil : "Make the folder \(folder) writable."
  }

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
#endif
