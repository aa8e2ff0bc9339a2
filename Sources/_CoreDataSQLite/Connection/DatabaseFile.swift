// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataStore

/// What the system says about a database's file before and after the engine opens it.
enum DatabaseFile {
  /// Refuses what is there and not a regular file: a read of a pipe or a device may wait for good.
  ///
  /// - Throws: `StoreError.cannotOpen`.
  static func requireRegular(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    throw StoreError(
      .cannotOpen,
      isFolder ? "it is a folder" : "it is not a regular file",
      engineCode: SQLITE_CANTOPEN,
      path: path
    )
  }

  /// Refuses a connection that the engine made read-only by itself although the file can be written.
  ///
  /// The engine opens a file for reading where opening it for writing fails, for whatever reason; a store
  /// would then be added and refuse every save. A file without the right to write stays as it is.
  /// Source: SQLite, `os_unix.c`.
  /// - Throws: `StoreError.cannotOpen`.
  static func requireWritable(_ connection: OpaquePointer, _ path: String) throws {
    if sqlite3_db_readonly(connection, "main") == 1 { try refuse(path) }
  }

  /// Takes the write lock and gives it back, without waiting, where the engine can say so at once.
  ///
  /// The index of the log is opened for reading, too, where opening it for writing fails.
  /// - Throws: `StoreError.cannotOpen` where the file can be written and the engine says that it cannot.
  static func proveWritable(_ connection: OpaquePointer, _ path: String) throws {
    let code = sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil)
    if code == SQLITE_OK { sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) }
    if code & 0xFF == SQLITE_READONLY { try refuse(path) }
  }

  private static func refuse(_ path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard access(path, W_OK) == 0, access(folder, W_OK) == 0 else { return }
    throw StoreError(
      .cannotOpen,
      "opening it for writing failed, though it can be written; the disk may be full or failing, or too "
        + "many files open: try again",
      engineCode: SQLITE_CANTOPEN,
      path: path
    )
  }
}
