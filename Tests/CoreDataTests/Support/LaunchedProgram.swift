// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program beside the tests that saves and fetches one note.
enum LaunchedProgram {
  struct Outcome {
    let status: Int32
    let standardError: String
  }

  /// Runs it to its end.
  static func run(
    _ arguments: [String],
    environment: [String: String] = [:]
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("LaunchedProgram")
    process.arguments = arguments
    // A backtrace of a program that stops takes minutes under a sanitizer.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus,
      standardError: String(decoding: output, as: UTF8.self)
    )
  }
}
