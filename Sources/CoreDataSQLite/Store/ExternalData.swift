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
    let name = String(decoding: value.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    guard UUID(uuidString: name) != nil else { return nil }
    let file = URL(fileURLWithPath: store)
    let folder = file.deletingLastPathComponent().appendingPathComponent(
      ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    )
    return try? Data(contentsOf: folder.appendingPathComponent(name))
  }
}
