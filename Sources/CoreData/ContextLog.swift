// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Errors that no caller can be given, on the standard error.
enum ContextLog {
  static func error(_ text: String) {
    FileHandle.standardError.write(Data("CoreData: error: \(text)\n".utf8))
  }
}
