// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataStore

enum DatabaseFile {
  static func requireExisting(_ path: String, engineCode: Int32? = nil) throws {
    if try size(path, engineCode: engineCode) != nil { return }
    throw StoreError(.cannotOpen, "the file does not exist", engineCode: engineCode, path: path)
  }

  /// Returns the size of the file at a path in bytes; nil if there is no file.
  ///
  /// - Throws: `StoreError.cannotOpen` if the process cannot determine whether the file exists, for example
  ///   because the process has no permission to search the folder.
  static func size(_ path: String, engineCode: Int32? = nil) throws -> Int? {
    var status = stat()
    if stat(path, &status) == 0 { return Int(status.st_size) }
    let error = POSIXError.latest
    if error.code == .ENOENT || error.code == .ENOTDIR { return nil }
    throw StoreError(
      .cannotOpen,
      "the file cannot be inspected: \(error.localizedDescription)",
      engineCode: engineCode,
      path: path
    )
  }

  /// Throws an error if the path is a folder or a special file, because reading a pipe or a device may block
  /// forever.
  ///
  /// A missing file is accepted.
  ///
  /// - Throws: `StoreError.cannotOpen`.
  static func requireRegular(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    throw StoreError(
      .cannotOpen,
      isFolder
        ? "the path is a folder; pass the path of a file"
        : "the path is not a regular file, but a pipe, socket or device; pass the path of a regular file",
      engineCode: SQLITE_CANTOPEN,
      path: path
    )
  }

  /// Returns the reason why a file cannot be opened or created; nil if neither the folder nor the permissions
  /// explain the failure.
  static func obstacle(_ path: String) -> String? {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if access(folder, F_OK) != 0 {
      return errno == ENOENT || errno == ENOTDIR
        ? "the file's folder does not exist; create the folder first"
        : "the process has no permission to open the file's folder"
    }
    if access(path, F_OK) == 0 {
      return access(path, R_OK) == 0 ? nil : "the process has no permission to read the file"
    }
    return access(folder, W_OK) == 0
      ? nil : "the process has no permission to create files in the file's folder"
  }

  /// Throws an error if the connection is read-only although the process may write to the file and its
  /// folder.
  ///
  /// If opening a file for writing fails, for whatever reason, the engine opens the file for reading. Without
  /// this check, a store would be added and then reject every save. If the process has no permission to write
  /// to the file or its folder, the connection is accepted. Source: SQLite, `os_unix.c`.
  /// - Throws: `StoreError.cannotOpen`.
  static func requireWritable(_ connection: OpaquePointer, _ path: String) throws {
    if sqlite3_db_readonly(connection, "main") == 1 { try refuse(path) }
  }

  /// Throws an error if the engine cannot write to a file although the process may write to it.
  ///
  /// The method acquires and releases the write lock. If the engine could not open the index of the log for
  /// writing, it has opened the index for reading, and only an attempt to write shows this.
  /// - Throws: `StoreError.cannotOpen`.
  static func checkWritable(_ connection: OpaquePointer, _ path: String) throws {
    let code = sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil)
    if code == SQLITE_OK { sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) }
    if code & 0xFF == SQLITE_READONLY { try refuse(path) }
  }

  /// Gives the side files of a database the write permissions that the database has.
  ///
  /// SQLite creates a side file with the permissions of the database, and does not remove the side files of a
  /// read-only database. If the database is made writable later, these side files would still be read-only.
  /// A side file whose permissions cannot be changed is left as it is.
  static func makeSideFilesWritable(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    // The side files are beside the database itself, not beside a symbolic link to the database.
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    let place = isLink ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
    if isLink, stat(place, &status) != 0 { return }
    for suffix in sideFileSuffixes {
      var side = stat()
      guard lstat(place + suffix, &side) == 0, side.st_mode & S_IFMT == S_IFREG else { continue }
      let missing = status.st_mode & 0o222 & ~side.st_mode
      if missing != 0 { chmod(place + suffix, (side.st_mode | missing) & 0o7777) }
    }
  }

  private static let sideFileSuffixes = ["-wal", "-shm", "-journal"]

  private static func refuse(_ path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(path, W_OK) == 0, access(folder, W_OK) == 0 else { return }
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let locked = sideFileSuffixes.map { place + $0 }
      .first { access($0, F_OK) == 0 && access($0, W_OK) != 0 }
    if let locked {
      throw StoreError(
        .cannotOpen,
        "the store cannot be opened: its side file \(locked) is read-only; make the side file writable",
        engineCode: SQLITE_CANTOPEN,
        path: path
      )
    }
    throw StoreError(
      .cannotOpen,
      "the file is writable, but SQLite could open the file, or the index of the write-ahead log, only for "
        + "reading. The disk may be full or failing, or too many files may be open. Free space or close "
        + "files, and try again",
      engineCode: SQLITE_CANTOPEN,
      path: path
    )
  }
}
