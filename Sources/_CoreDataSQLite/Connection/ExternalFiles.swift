// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The files of large values that a save or batch request writes, and the files that a save, batch request or
/// migration makes obsolete.
///
/// New files are synchronized to disk before the commit, and obsolete files are removed only after the commit
/// has been synchronized, so that a power failure leaves no row without its file. If
/// `SQLiteStoreOptions.keepsOrderOnDisk` is false, this order is not guaranteed. A save that fails removes
/// the files that it has written.
///
/// After `committed()` or `rolledBack()`, the object can be used for another save.
final class ExternalFiles: @unchecked Sendable {
  // Unchecked: only the thread that has the write connection uses the object.
  /// The size in bytes above which a value is stored in a separate file.
  ///
  /// Source: observed; values of up to 99,813 bytes are stored in their rows.
  static let threshold = 100 << 10

  private let options: SQLiteStoreOptions
  /// The folder of the files; nil for a store that keeps all values in its rows, such as a store in memory.
  ///
  /// Computed at the first use, because most saves have no large values, and computing it takes longer than
  /// saving one row.
  private lazy var folder =
    options.isInMemory || options.keepsValuesInRows
    ? nil : ExternalData.folder(ofStore: options.path)
  @exclusivity(unchecked) private var written: [URL] = []
  @exclusivity(unchecked) private var obsolete: [URL] = []
  private let names: ValueFolderNames

  /// Creates an empty set of files; all saves of an open store share `names`.
  init(_ options: SQLiteStoreOptions, names: ValueFolderNames = ValueFolderNames()) {
    self.options = options
    self.names = names
  }

  /// Returns the tagged value for `content`: the content itself, or the name of a new file that contains it.
  ///
  /// - Throws: `StoreError.cannotWrite` if the file cannot be written, or if the folder or its parent is a
  ///   symbolic link.
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

  /// Writes a new file with system calls, because Foundation would synchronize each file to disk.
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
    names.areOnDisk.store(false, ordering: .relaxed)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Marks as obsolete the file that a value names; does nothing for a value without a file name.
  func discard(_ value: Data) {
    guard let name = value.withUnsafeBytes(ExternalData.fileName), let folder else { return }
    obsolete.append(folder.appendingPathComponent(name))
  }

  /// Synchronizes the new files and their folders to disk, so that a power failure after the commit leaves no
  /// row without its file.
  ///
  /// Must be called after all files are written and before the commit. Does nothing if
  /// `SQLiteStoreOptions.keepsOrderOnDisk` is false.
  ///
  /// - Throws: `StoreError.cannotWrite`, and errors of the observer.
  /// - Complexity: one synchronization for each new file and one for the folder; for the first new file of an
  ///   open store, also two for the folder's parents.
  func synchronize() throws {
    guard !written.isEmpty, options.keepsOrderOnDisk, let folder else { return }
    for file in written { try sync(file.path, "the file of a large value") }
    try sync(folder.path, "the folder")
    if names.areOnDisk.load(ordering: .relaxed) { return }
    let support = folder.deletingLastPathComponent()
    for parent in [support.deletingLastPathComponent(), support] {
      try sync(parent.path, "the folder")
    }
    names.areOnDisk.store(true, ordering: .relaxed)
  }

  /// Removes the files that the committed save has made obsolete.
  ///
  /// The files are kept if the commit may not be on disk yet, or if their folder or its parent is a symbolic
  /// link.
  func committed() {
    if written.isEmpty && obsolete.isEmpty { return }
    defer { (written, obsolete) = ([], []) }
    if obsolete.isEmpty || options.keepsOrderOnDisk && !isCommitSynchronized() { return }
    if folder.map(ExternalData.leadsAway) ?? true { return }
    // A file that cannot be removed is harmless, because no row refers to it.
    for file in obsolete { try? FileManager.default.removeItem(at: file) }
  }

  /// Synchronizes the commit to disk; returns false if this fails.
  ///
  /// Without this, a power failure could undo the commit and restore rows that refer to the obsolete files.
  private func isCommitSynchronized() -> Bool {
    CommitFiles.paths(ofStore: options.path).allSatisfy { path in
      // The error is dropped: keeping the obsolete files is harmless.
      (try? sync(path, "the commit")) != nil
    }
  }

  /// Removes the files that the failed save has written.
  func rolledBack() {
    // A file that cannot be removed is harmless, because no row refers to it.
    for file in written { try? FileManager.default.removeItem(at: file) }
    (written, obsolete) = ([], [])
  }

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
