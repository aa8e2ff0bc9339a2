// SPDX-License-Identifier: Apache-2.0

import Foundation

enum DebugLevel {
  /// Returns the level that follows the last argument `-key` or, without such an argument, the level in the
  /// environment variable; 0 if there is none.
  ///
  /// A positive integer is a level, `YES` and `true` stand for 1 regardless of case, and any other text for
  /// 0.
  ///
  /// Source: documented, “UserDefaults” (the argument domain); the variables are chosen.
  static func of(
    _ key: String,
    _ variable: String,
    arguments: [String] = CommandLine.arguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Int {
    if let place = arguments.lastIndex(of: "-" + key) {
      let next = arguments.index(after: place)
      return next < arguments.endIndex ? level(arguments[next]) : 0
    }
    return environment[variable].map(level) ?? 0
  }

  private static func level(_ text: String) -> Int {
    switch text.lowercased() {
    case "yes", "true": 1
    default: max(0, Int(text) ?? 0)
    }
  }
}
