// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataStore

enum DatabaseFile {
  /// Rejects a path if no file exists there, or if the file cannot be inspected.
  ///
  /// - Throws: `StoreError.cannotOpen`.
  static func requireExisting(_ path: String, engineCode: Int32? = nil) throws {
    var status = stat()
    if stat(path, &status) == 0 { return }
    let error = POSIXError.latest
    let isMissing = error.code == .ENOENT || error.code == .ENOTDIR
    throw StoreError(
      .cannotOpen,
      isMissing
        ? "the file does not exist"
        : "the file cannot be inspected: \(error.localizedDescription)",
      engineCode: engineCode,
      path: path
    )
  }

  /// Rejects anything but a regular file at the path, because reading a pipe or a device may block forever.
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
        : "the path is not a regular file; pass the path of a file",
      engineCode: SQLITE_CANTOPEN,
      path: path
    )
  }

  /// Returns the reason why a file cannot be opened or created; nil if the folder and the permissions do not
  /// show a reason.
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

  /// Rejects a connection that the engine made read-only although the file is writable.
  ///
  /// If opening a file for writing fails, for whatever reason, the engine opens it for reading. A store would
  /// then be added and reject every save. A connection without the permission to write to the file or its
  /// folder is accepted. Source: SQLite, `os_unix.c`.
  /// - Throws: `StoreError.cannotOpen`.
  static func requireWritable(_ connection: OpaquePointer, _ path: String) throws {
    if sqlite3_db_readonly(connection, "main") == 1 { try refuse(path) }
  }

  /// Acquires and releases the write lock without waiting, to find out whether the file can be written to.
  ///
  /// If the engine cannot open the index of the log for writing, it opens the index for reading, as it does
  /// for the database.
  /// - Throws: `StoreError.cannotOpen` if the file is writable but the engine reports that it is not.
  static func checkWritable(_ connection: OpaquePointer, _ path: String) throws {
    let code = sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil)
    if code == SQLITE_OK { sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) }
    if code & 0xFF == SQLITE_READONLY { try refuse(path) }
  }

  private static func refuse(_ path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(path, W_OK) == 0, access(folder, W_OK) == 0 else { return }
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
