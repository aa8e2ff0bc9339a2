// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces a file as a whole: if a write fails, or if the process ends during a write, the file has either
/// its old or its new content.
///
/// The content is written to a working file in the same folder, and synchronized to the disk. The working
/// file is then renamed, which replaces the file. The next write also removes any working file that a process
/// has left behind.
package struct AtomicFile: Sendable {
  /// A step of a write, which a test can cause to fail.
  package enum Step: Sendable, CaseIterable {
    case create, write, synchronize, rename, synchronizeFolder
  }

  /// A closure for tests, which runs before each step; an error of the closure becomes the error of the step.
  @TaskLocal package static var beforeStep: (@Sendable (Step) throws -> Void)?

  /// The path of the file that is written, with symbolic links resolved.
  package let path: String

  package init(path: String) {
    self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  // MARK: Writing

  /// New content in a working file, which has not replaced the file yet.
  package struct Prepared {
    fileprivate let file: AtomicFile
    fileprivate let work: String
    fileprivate let descriptor: Int32

    /// Replaces the file with the new content.
    ///
    /// A failure to synchronize the folder to the disk afterwards is ignored, because the file system writes
    /// the folder later.
    /// - Throws: `StoreError.cannotWrite` if the file cannot be replaced.
    package func commit() throws {
      defer { close(descriptor) }
      do {
        try AtomicFile.beforeStep?(.rename)
        if rename(work, file.path) != 0 { throw file.failure("could not be replaced") }
      } catch {
        unlink(work)
        throw error
      }
      file.synchronizeFolder()
    }

    /// Removes the new content; the file keeps its old content.
    package func discard() {
      unlink(work)
      close(descriptor)
    }
  }

  /// Writes content to a working file beside the file.
  ///
  /// - Throws: `StoreError.cannotWrite` if the folder does not exist, or if the working file cannot be
  ///   written.
  package func prepare(_ content: Data) throws -> Prepared {
    removeAbandonedFiles()
    try Self.beforeStep?(.create)
    let work = workingPrefix + UUID().uuidString
    let descriptor = open(work, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw failure("could not be written: no file can be created beside it") }
    // The lock keeps other processes from removing the working file.
    flock(descriptor, LOCK_EX | LOCK_NB)
    let prepared = Prepared(file: self, work: work, descriptor: descriptor)
    do {
      var known = stat()
      if stat(path, &known) == 0 { fchmod(descriptor, known.st_mode & 0o7777) }
      try write(content, to: descriptor)
      try Self.beforeStep?(.synchronize)
      if fsync(descriptor) != 0 { throw failure("could not be synchronized to the disk") }
      return prepared
    } catch {
      prepared.discard()
      throw error
    }
  }

  /// The maximum number of bytes that one system call writes.
  private static let blockSize = 1 << 20

  private func write(_ content: Data, to descriptor: Int32) throws {
    try content.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        try Self.beforeStep?(.write)
        let count = min(Self.blockSize, bytes.count - start)
        #if canImport(Darwin)
        let written = Darwin.write(descriptor, bytes.baseAddress.map { $0 + start }, count)
        #elseif canImport(Musl)
        let written = Musl.write(descriptor, bytes.baseAddress.map { $0 + start }, count)
        #else
        let written = Glibc.write(descriptor, bytes.baseAddress.map { $0 + start }, count)
        #endif
        if written < 0 {
          if errno == EINTR { continue }
          throw failure("could not be written")
        }
        start += written
      }
    }
  }

  private func synchronizeFolder() {
    // The error is dropped: the file has its new content already, so the write has succeeded.
    try? Self.beforeStep?(.synchronizeFolder)
    let folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder < 0 { return }
    fsync(folder)
    close(folder)
  }

  private func failure(_ what: String) -> StoreError {
    StoreError(.cannotWrite, "the file \(what): \(String(cString: strerror(errno)))", path: path)
  }

  // MARK: Working files

  private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }
  private var workingPrefix: String {
    "\(folder)/.\(URL(fileURLWithPath: path).lastPathComponent).saving-"
  }

  /// Removes the working files of processes that ended during a write.
  private func removeAbandonedFiles() {
    let prefix = URL(fileURLWithPath: workingPrefix).lastPathComponent
    // The error is dropped: without a list of the folder, no working file can be found.
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    for name in names ?? [] where name.hasPrefix(prefix) {
      let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
      if descriptor < 0 { continue }
      // A process that is still writing the file holds the lock.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink("\(folder)/\(name)") }
      close(descriptor)
    }
  }

  // MARK: State

  /// The identity, size and modification time of a file; a changed or replaced file has a different stamp.
  package struct Stamp: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    fileprivate init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      size = Int64(status.st_size)
      #if canImport(Darwin)
      (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
      #else
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      #endif
    }
  }

  /// The stamp of the file; nil if there is no file.
  package var stamp: Stamp? {
    var status = stat()
    return stat(path, &status) == 0 ? Stamp(status) : nil
  }
}
