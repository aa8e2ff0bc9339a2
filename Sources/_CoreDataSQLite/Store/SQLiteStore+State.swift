// SPDX-License-Identifier: Apache-2.0

import Foundation

extension SQLiteStore {
  /// Returns a token of the file's state; if two tokens are equal, nothing was written between the two calls.
  ///
  /// The token is nil for a store in memory, and if the files cannot be read.
  ///
  /// The token consists of the file's identity, size and times, of the log's salts, and of the frame header
  /// of the log's last commit. This header contains a checksum of all frames up to the commit. A checkpoint
  /// changes the token although the rows are the same. The database file itself is not opened, because
  /// closing it would drop the locks that SQLite holds on it for the process.
  /// Source: documented, sqlite.org “WAL-mode File Format”, “How To Corrupt An SQLite Database File”.
  /// - Complexity: O(frames of the log).
  package func stateToken() -> Data? {
    if options.isInMemory { return nil }
    guard var token = Self.identity(of: options.path) else { return nil }
    let log = options.path + "-wal"
    // Opening a store in write-ahead mode creates an empty log, which must not change the token.
    guard Self.size(of: log) > 0, let identity = Self.identity(of: log) else { return token }
    token += identity
    guard let content = LogFile.lastCommit(in: log) else { return nil }
    return token + content
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func identity(of path: String) -> Data? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
    let times = [status.st_mtimespec, status.st_ctimespec]
    #else
    let times = [status.st_mtim, status.st_ctim]
    #endif
    var numbers = [UInt64(status.st_dev), UInt64(status.st_ino)]
    numbers.append(UInt64(bitPattern: Int64(status.st_size)))
    for time in times {
      numbers.append(UInt64(bitPattern: Int64(time.tv_sec)))
      numbers.append(UInt64(bitPattern: Int64(time.tv_nsec)))
    }
    return numbers.withUnsafeBytes { Data($0) }
  }
}

/// A write-ahead log, read without SQLite.
private enum LogFile {
  /// Returns the log's salts and, if the log contains a commit, the frame header of the last commit.
  ///
  /// The result is empty for a log without a header, and nil if the log cannot be opened.
  static func lastCommit(in path: String) -> Data? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    guard let header = bytes(file, at: 0, count: 32) else { return Data() }
    let salts = header[16..<24]
    let pageSize = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
    var found = Data(salts)
    var offset = 32
    // Frames of the current log contain its salts. The frames after them are left from an earlier log in the
    // same file.
    while let frame = bytes(file, at: offset, count: 24), frame[8..<16].elementsEqual(salts) {
      let isCommit = frame[4..<8].contains { $0 != 0 }
      if isCommit { found = Data(salts) + frame }
      offset += 24 + pageSize
    }
    return found
  }

  private static func bytes(_ file: Int32, at offset: Int, count: Int) -> Data? {
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(file, &bytes, count, off_t(offset)) == count ? Data(bytes) : nil
  }
}
