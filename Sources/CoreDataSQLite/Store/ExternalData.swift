// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Values of attributes that allow external storage: a tag, then the bytes or a file's name.
///
/// Source: observed, 96 values: 0x01 and the bytes, or 0x02, a UUID's 36 characters and a zero.
enum ExternalData {
  static let inlineTag: UInt8 = 1
  static let fileTag: UInt8 = 2

  /// The content of the file that a value names; nil where it cannot be read, or is not in the folder
  /// but linked to from there.
  static func read(_ value: UnsafeRawBufferPointer, store: String) -> Data? {
    let folder = folder(ofStore: store)
    guard let name = fileName(value), !leadsAway(folder) else { return nil }
    let file = open(folder.appendingPathComponent(name).path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 { return nil }
    return try? FileHandle(fileDescriptor: file, closeOnDealloc: true).readToEnd() ?? Data()
  }

  /// Whether the folder of the files, or the one that holds it, is a link to somewhere else.
  static func leadsAway(_ folder: URL) -> Bool {
    [folder, folder.deletingLastPathComponent()].contains { folder in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: folder.path)) != nil
    }
  }

  /// The file that a value names: a UUID, so never one outside the folder; nil for other values.
  static func fileName(_ value: UnsafeRawBufferPointer) -> String? {
    guard value.first == fileTag else { return nil }
    let name = String(decoding: value.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    return UUID(uuidString: name) == nil ? nil : name
  }

  /// Where the files of a store lie.
  static func folder(ofStore path: String) -> URL {
    let file = URL(fileURLWithPath: path)
    return file.deletingLastPathComponent().appendingPathComponent(
      ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    )
  }
}
