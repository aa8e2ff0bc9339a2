// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes to standard error the facts and failures that a method with Apple's signature cannot return or
/// throw.
///
/// Each message begins with `CoreData:`. An error that is thrown to the caller is not written.
enum Diagnostics {
  /// Writes a fact that the caller could not learn otherwise, for example why an initializer returned
  /// nil.
  static func note(_ text: String) { write(text) }

  /// Warns about something that is allowed but probably not intended.
  static func warning(_ text: String) { write("warning: \(text)") }

  /// Reports a failure that cannot be thrown, because no caller is waiting for the result.
  static func error(_ text: String) { write("error: \(text)") }

  private static func write(_ text: String) {
    FileHandle.standardError.write(Data("CoreData: \(text)\n".utf8))
  }
}
