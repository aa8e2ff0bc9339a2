// SPDX-License-Identifier: Apache-2.0

import Foundation

enum DebugLevel {
  /// Returns the level that follows the last argument `-key` or, without such an argument, the level in the
  /// environment variable; 0 if there is none.
  ///
  /// A positive integer is a level; `YES` and `true`, in upper or lower case, mean 1; any other text means 0.
  ///
  /// Source: documented, “UserDefaults” (the argument domain); the environment variables are this library's
  /// choice.
  static func of(
    _ key: String,
    _ variable: String,
    arguments: [String] = CommandLine.arguments,
    environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) -> Int {
    if let place = arguments.lastIndex(of: "-" + key) {
      let next = arguments.index(after: place)
      return next < arguments.endIndex ? level(arguments[next]) : 0
    }
    return environment(variable).map(level) ?? 0
  }

  private static func level(_ text: String) -> Int {
    switch text.lowercased() {
    case "yes", "true": 1
    default: max(0, Int(text) ?? 0)
    }
  }
}
