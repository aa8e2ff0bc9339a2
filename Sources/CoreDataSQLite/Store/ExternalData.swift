// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Values of attributes that allow external storage: a tag, then the bytes or a file's name.
///
/// Source: observed, 96 values: 0x01 and the bytes, or 0x02, a UUID's 36 characters and a zero.
enum ExternalData {
  static let inlineTag: UInt8 = 1
  static let fileTag: UInt8 = 2

  /// The content of the file that a value names; nil where it cannot be read.
  static func read(_ value: UnsafeRawBufferPointer, store: String) -> Data? {
    guard let name = fileName(value) else { return nil }
    return try? Data(contentsOf: folder(ofStore: store).appendingPathComponent(name))
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
