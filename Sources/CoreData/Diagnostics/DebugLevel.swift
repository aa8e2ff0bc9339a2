// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Levels of diagnostics, from the launch arguments or the environment.
enum DebugLevel {
  /// The level after the argument `-key` (the last one counts), else the environment variable's; 0
  /// where neither is there.
  ///
  /// A number is a level, `YES` and `true` are 1; anything else is 0.
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
