// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program beside the tests that saves and fetches one note.
enum LaunchedProgram {
  struct Outcome {
    let status: Int32
    let standardError: String
  }

  /// Arguments of `unshare` before a folder and a command; only the command's own mounts change.
  private static let mounting = [
    "-r", "-m", "sh", "-c",
    "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"",
  ]

  /// Whether this machine lets a process have mounts of its own.
  static let canMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = mounting + [NSTemporaryDirectory(), "true"]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// Where programs that tests launch are: `COREDATA_PROGRAMS`, as `scripts/static` sets it, else beside the
  /// tests.
  static let programs: URL = {
    if let path = ProcessInfo.processInfo.environment["COREDATA_PROGRAMS"] {
      return URL(fileURLWithPath: path)
    }
    return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
  }()

  /// Copies a program in another process.
  ///
  /// A test that starts a process while this process writes the file would pass the descriptor on, and a file
  /// that is open for writing cannot be executed (ETXTBSY).
  private static func copyProgram(_ program: URL, to copy: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cp")
    process.arguments = [program.path, copy.path]
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw CocoaError(.fileWriteUnknown) }
  }

  /// Runs it to its end.
  ///
  /// With `readOnly` it sees that folder as on a medium that cannot be written to; with `copy` a copy of
  /// the program at that path runs. `program` is another path to the program, `directory` the working
  /// directory.
  static func run(
    _ arguments: [String],
    environment: [String: String] = [:],
    readOnly folder: URL? = nil,
    copy: URL? = nil,
    program path: URL? = nil,
    directory: URL? = nil
  ) throws -> Outcome {
    let process = Process()
    process.currentDirectoryURL = directory
    var program = path ?? Self.programs.appendingPathComponent("LaunchedProgram")
    if let copy {
      try copyProgram(program, to: copy)
      program = copy
    }
    if let folder {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
      process.arguments = Self.mounting + [folder.path, program.path] + arguments
    } else {
      process.executableURL = program
      process.arguments = arguments
    }
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
