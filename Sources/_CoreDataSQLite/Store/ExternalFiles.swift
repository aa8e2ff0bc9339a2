// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The files of large values that one save or batch writes, and the files that the save or batch makes
/// obsolete.
///
/// New files reach the disk before the commit, and obsolete files are removed only after the commit has
/// reached the disk, so that a power failure leaves no row without its file. This does not apply if the
/// store's settings leave the order of writes to the system. A save that fails removes its own files.
final class ExternalFiles {
  /// Values with more bytes than this are stored in separate files.
  ///
  /// Source: observed, values of up to 99,813 bytes are in the rows.
  static let threshold = 100 << 10

  private let options: SQLiteStoreOptions
  /// The folder of the files; nil for a store that keeps all values in its rows, such as a store in memory.
  ///
  /// Computed on demand, because computing it takes a third of the time of saving one row.
  private lazy var folder =
    options.isInMemory || options.keepsValuesInRows
    ? nil : ExternalData.folder(ofStore: options.path)
  private var written: [URL] = []
  private var obsolete: [URL] = []
  /// The parents of the folders that were created for the first file, outermost first.
  private var madeFolders: [URL] = []

  init(_ options: SQLiteStoreOptions) { self.options = options }

  /// Returns the tagged value for `content`: the content itself, or the name of a new file that contains it.
  ///
  /// - Throws: `StoreError.cannotWrite` if the file cannot be written, or if the folder is reached through a
  ///   link.
  func value(of content: UnsafeRawBufferPointer) throws -> [UInt8] {
    guard content.count > Self.threshold, let folder else {
      return [ExternalData.inlineTag] + content
    }
    let name = UUID().uuidString
    let file = folder.appendingPathComponent(name)
    try ExternalData.requireNoLink(folder)
    do {
      if written.isEmpty { try makeFolder(folder) }
      written.append(file)
      try Self.write(content, to: file.path)
    } catch {
      throw StoreError(
        .cannotWrite,
        "the file of a large value cannot be written: \(error.localizedDescription)",
        path: file.path
      )
    }
    return [ExternalData.fileTag] + Array(name.utf8) + [0]
  }

  /// Writes a new file with system calls, because Foundation would wait for the disk after each file.
  private static func write(_ content: UnsafeRawBufferPointer, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if file < 0 { throw POSIXError.latest }
    defer { close(file) }
    var rest = content[...]
    while !rest.isEmpty {
      let count = Foundation.write(
        file,
        UnsafeRawBufferPointer(rebasing: rest).baseAddress,
        rest.count
      )
      if count < 0 {
        if errno == EINTR { continue }
        throw POSIXError.latest
      }
      rest = rest.dropFirst(count)
    }
  }

  private func makeFolder(_ folder: URL) throws {
    if FileManager.default.fileExists(atPath: folder.path) { return }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let support = folder.deletingLastPathComponent()
    madeFolders = [support.deletingLastPathComponent(), support]
  }

  /// Marks the file of a value as obsolete; does nothing for a value that is in its row.
  func discard(_ value: Data) {
    guard let name = value.withUnsafeBytes(ExternalData.fileName), let folder else { return }
    obsolete.append(folder.appendingPathComponent(name))
  }

  /// Waits until the new files and their names have reached the disk, as the last step before the commit.
  ///
  /// Does nothing if the store's settings leave the order of writes to the system.
  ///
  /// - Throws: `StoreError.cannotWrite`, and errors of the observer.
  /// - Complexity: one wait for each new file and each changed folder.
  func synchronize() throws {
    guard !written.isEmpty, options.keepsOrderOnDisk, let folder else { return }
    for file in written { try sync(file.path, "the file of a large value") }
    for folder in [folder] + madeFolders { try sync(folder.path, "the folder") }
  }

  /// Removes the files that the committed save has made obsolete.
  ///
  /// The files are kept if the commit may not have reached the disk, or if their folder is reached through a
  /// link.
  func committed() {
    defer { (written, obsolete) = ([], []) }
    if obsolete.isEmpty || options.keepsOrderOnDisk && !isLogSynchronized() { return }
    if folder.map(ExternalData.leadsAway) ?? true { return }
    // A file that cannot be removed is harmless, because no row refers to it.
    for file in obsolete { try? FileManager.default.removeItem(at: file) }
  }

  /// Waits until the commit has reached the disk; returns false if this fails.
  ///
  /// Until then, a power failure can restore rows that need the old files. Unlike closing the database,
  /// closing the log drops no locks.
  /// Source: documented, sqlite.org “PRAGMA synchronous”: a commit to the log does not wait for the disk.
  private func isLogSynchronized() -> Bool {
    let log = options.path + "-wal"
    if !FileManager.default.fileExists(atPath: log) { return true }
    // If the log cannot be synchronised, the old files are kept.
    return (try? sync(log, "the log")) != nil
  }

  /// Removes the files that the failed save has written.
  func rolledBack() {
    // A file that cannot be removed is harmless, because no row refers to it.
    for file in written { try? FileManager.default.removeItem(at: file) }
    (written, obsolete) = ([], [])
  }

  /// Waits until the file or folder has reached the disk; errors name the file or folder with `name`.
  private func sync(_ path: String, _ name: String) throws {
    try options.observer?.syncs(path)
    if let error = POSIXError.syncing(path) {
      throw StoreError(
        .cannotWrite,
        "\(name) cannot be synchronized to disk: \(error.localizedDescription)",
        path: path
      )
    }
  }
}
