// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite

/// A flag that is set when SQLite compiles a statement of one connection.
///
/// SQLite calls the authorizer whenever it compiles a statement, including when it recompiles a statement
/// because the schema has changed. Source: SQLite, “Compile-Time Authorization Callbacks”.
final class CompilationNotice {
  /// Whether a statement was compiled since this property was last set to false; initially true.
  var wereNoticed = true

  /// Installs the callback in a connection, which must retain this object.
  func install(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { notice, _, _, _, _, _ in
        if let notice {
          Unmanaged<CompilationNotice>.fromOpaque(notice).takeUnretainedValue().wereNoticed = true
        }
        return SQLITE_OK
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }
}
