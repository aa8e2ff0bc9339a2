// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// Values of attributes that allow external storage: a tag, then the bytes or a file's name.
///
/// Source: observed, 96 values: 0x01 and the bytes, or 0x02, a UUID's 36 characters and a zero.
enum ExternalData {
  static let inlineTag: UInt8 = 1
  static let fileTag: UInt8 = 2

  /// The content of the file that a value names; nil where there is no such file.
  ///
  /// A link is not a file of the folder, wherever it leads, and a name that is not a UUID is not a file's name.
  /// - Throws: `StoreError.cannotRead` with the file's path where it is there and cannot be read.
  static func read(_ value: UnsafeRawBufferPointer, store: String) throws -> Data? {
    let folder = folder(ofStore: store)
    guard let name = fileName(value), !leadsAway(folder) else { return nil }
    let path = folder.appendingPathComponent(name).path
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 {
      let error = POSIXError.latest
      if error.code == .ENOENT || error.code == .ELOOP { return nil }
      throw unreadable(error, path)
    }
    do {
      return try FileHandle(fileDescriptor: file, closeOnDealloc: true).readToEnd() ?? Data()
    } catch {
      throw unreadable(error, path)
    }
  }

  private static func unreadable(_ error: any Error, _ path: String) -> StoreError {
    let lack = (error as? POSIXError).flatMap { POSIXError.lackOfDescriptors($0.code) }
    return StoreError(
      .cannotRead,
      "the file of a large value cannot be read: \(lack ?? "\(error)")",
      path: path
    )
  }

  /// Whether the folder of the files, or the one that holds it, is a link to somewhere else.
  static func leadsAway(_ folder: URL) -> Bool {
    [folder, folder.deletingLastPathComponent()].contains { folder in
      var status = stat()
      // A folder that cannot be looked at cannot be opened either.
      return lstat(folder.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
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
