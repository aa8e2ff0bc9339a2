// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The files beside a store that one save writes, and those that it makes superfluous.
///
/// New files have reached the disk before the commit; those of replaced and deleted rows go once the
/// commit has. So a power loss, too, leaves no row without its file. A save that fails takes its own
/// files back, so a file without a row can only be left by a crash.
final class ExternalFiles {
  /// Values with more bytes get a file of their own.
  ///
  /// Source: observed, values of up to 99,813 bytes lie in the rows.
  static let threshold = 100 << 10

  private let options: SQLiteStoreOptions
  /// Nil for a store that keeps everything in its rows, as one in memory does.
  ///
  /// Worked out when a file is in question: that takes a third of the time of saving one row.
  private lazy var folder =
    options.isInMemory || options.keepsValuesInRows
    ? nil : ExternalData.folder(ofStore: options.path)
  private var written: [URL] = []
  private var obsolete: [URL] = []
  /// Folders that came with the first file, outermost first.
  private var madeFolders: [URL] = []

  init(_ options: SQLiteStoreOptions) { self.options = options }

  /// The tagged value for some content: the content itself, or the name of a new file with it.
  ///
  /// - Throws: `StoreError.cannotWrite` where the file cannot be written, or the folder is a link.
  func value(of content: UnsafeRawBufferPointer) throws -> [UInt8] {
    guard content.count > Self.threshold, let folder else {
      return [ExternalData.inlineTag] + content
    }
    let name = UUID().uuidString
    let file = folder.appendingPathComponent(name)
    do {
      if ExternalData.leadsAway(folder) { throw POSIXError(.ELOOP) }
      if written.isEmpty { try makeFolder(folder) }
      written.append(file)
      try Self.write(content, to: file.path)
    } catch {
      throw StoreError(
        .cannotWrite,
        "a value's own file cannot be written: \(error)",
        path: file.path
      )
    }
    return [ExternalData.fileTag] + Array(name.utf8) + [0]
  }

  /// Writes a new file without waiting for it, as Foundation would for each file alone.
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

  /// Notes that a row does not need its value any more; does nothing for values in rows.
  func discard(_ value: Data) {
    guard let name = value.withUnsafeBytes(ExternalData.fileName), let folder else { return }
    obsolete.append(folder.appendingPathComponent(name))
  }

  /// Waits until the new files and their names have reached the disk; the last step before the commit.
  ///
  /// - Throws: `StoreError.cannotWrite`, and what the observer throws.
  /// - Complexity: a wait for each new file, and one for their folder.
  func makeLasting() throws {
    guard !written.isEmpty, options.keepsOrderOnDisk, let folder else { return }
    for file in written + [folder] + madeFolders { try sync(file.path) }
  }

  /// Removes what the committed save replaced.
  func committed() {
    defer { (written, obsolete) = ([], []) }
    if obsolete.isEmpty || options.keepsOrderOnDisk && !logHasLasted() { return }
    if folder.map(ExternalData.leadsAway) ?? true { return }
    // A file that stays is one that no row names, as after a crash.
    for file in obsolete { try? FileManager.default.removeItem(at: file) }
  }

  /// Whether the commit has reached the disk, so that no power loss brings back rows that need the old
  /// files.
  ///
  /// Closing the log, unlike the database, drops no locks.
  /// Source: documented, sqlite.org “PRAGMA synchronous”: a commit to the log does not wait for the disk.
  private func logHasLasted() -> Bool {
    let log = options.path + "-wal"
    if !FileManager.default.fileExists(atPath: log) { return true }
    // Where that is not known the old files stay.
    return (try? sync(log)) != nil
  }

  /// Removes what the failed save wrote.
  func rolledBack() {
    // A file that stays is one that no row names, as after a crash.
    for file in written { try? FileManager.default.removeItem(at: file) }
    (written, obsolete) = ([], [])
  }

  private func sync(_ path: String) throws {
    try options.observer?.syncs(path)
    if let error = POSIXError.syncing(path) {
      throw StoreError(.cannotWrite, "fsync: \(error)", path: path)
    }
  }
}
