// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The stored values of attributes that allow external storage.
///
/// A value begins with a tag. The tag 0x01 is followed by the bytes of the value. The tag 0x02 is followed by
/// the name of a file, which is a UUID of 36 characters, and by a zero byte.
/// Source: observed, 96 values.
enum ExternalData {
  static let inlineTag: UInt8 = 1
  static let fileTag: UInt8 = 2

  /// Returns the content of the file that a value names; nil if the file does not exist.
  ///
  /// The result is also nil if the value does not name a file, or if the file, its folder or the folder's
  /// parent is a symbolic link.
  /// - Throws: `StoreError.cannotRead` with the file's path if the file exists but cannot be read.
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
      "the file of a large value cannot be read: \(lack ?? error.localizedDescription)",
      path: path
    )
  }

  static func requireNoLink(_ folder: URL) throws {
    if !leadsAway(folder) { return }
    throw StoreError(
      .cannotWrite,
      "the large value cannot be written, because the folder of large values or its parent folder is a "
        + "symbolic link; replace the link with a folder",
      path: folder.path
    )
  }

  /// Returns whether the folder or its parent is a symbolic link, which could lead to files of other stores
  /// or programs.
  static func leadsAway(_ folder: URL) -> Bool {
    [folder, folder.deletingLastPathComponent()].contains { folder in
      var status = stat()
      // A folder that cannot be inspected cannot be opened either.
      return lstat(folder.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
  }

  /// Returns the file name that a value contains; nil for a value without a file name.
  ///
  /// Only a UUID is accepted as a file name, so the name cannot refer to a file outside of the folder.
  static func fileName(_ value: UnsafeRawBufferPointer) -> String? {
    guard value.first == fileTag else { return nil }
    let name = String(decoding: value.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    return UUID(uuidString: name) == nil ? nil : name
  }

  static func folder(ofStore path: String) -> URL {
    let file = URL(fileURLWithPath: path)
    return file.deletingLastPathComponent().appendingPathComponent(
      ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    )
  }
}
