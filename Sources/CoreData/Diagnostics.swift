// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reports on the standard error what Apple's signatures have no place for.
///
/// Each line begins with `CoreData:`. Nothing is reported that a caller also gets as a thrown error.
enum Diagnostics {
  /// Notes a fact that a caller cannot see otherwise, such as why an initializer returns nil.
  static func note(_ text: String) { write(text) }

  /// Warns about something that is allowed and probably not intended.
  static func warning(_ text: String) { write("warning: \(text)") }

  /// Reports a failure that cannot be thrown to a caller, because no call is waiting for it.
  static func error(_ text: String) { write("error: \(text)") }

  private static func write(_ text: String) {
    FileHandle.standardError.write(Data("CoreData: \(text)\n".utf8))
  }
}
