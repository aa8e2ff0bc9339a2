// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads and writes one JSON file.
enum JSONFile {
  /// Called with the name of each step of writing, before the step; the tests let one of them fail.
  @TaskLocal static var beforeStep: (@Sendable (String) throws -> Void)?

  /// Returns the content of a file.
  ///
  /// - Throws: `CocoaError.fileReadCorruptFile` with the path if it is not the JSON of `Content`; the errors of
  ///   reading the file.
  static func read<Content: Decodable>(_ type: Content.Type, at url: URL) throws -> Content {
    let data = try Data(contentsOf: url)
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw JSONStoreError.damaged(url, "\(error)")
    }
  }

  static func data(_ content: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(content)
  }

  /// Replaces a file as a whole: after an error, or when the process ends in the midst, the file has its old or
  /// its new content.
  static func write(_ data: Data, to url: URL) throws {
    let working = url.appendingPathExtension("new")
    try beforeStep?("create \(url.lastPathComponent)")
    try data.write(to: working)
    try beforeStep?("synchronize \(url.lastPathComponent)")
    let handle = try FileHandle(forUpdating: working)
    try handle.synchronize()
    try handle.close()
    try beforeStep?("rename \(url.lastPathComponent)")
    if rename(working.path, url.path) != 0 {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
    }
  }

  static func remove(_ url: URL) throws {
    try beforeStep?("remove \(url.lastPathComponent)")
    if FileManager.default.fileExists(atPath: url.path) {
      try FileManager.default.removeItem(at: url)
    }
  }
}
