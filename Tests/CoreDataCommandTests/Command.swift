// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// For suites that run `coredata`, which has commands only with the package's trait `Command`.
  static var needsCommand: Self {
    #if Command
    return .enabled(if: true)
    #else
    return .disabled("run them with --traits Command")
    #endif
  }
}

/// The command beside the tests, launched as a user launches it.
enum Command {
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Where programs that tests launch are: `COREDATA_PROGRAMS`, as `scripts/static` sets it, else beside the
  /// tests.
  static let programs: URL = {
    if let path = ProcessInfo.processInfo.environment["COREDATA_PROGRAMS"] {
      return URL(fileURLWithPath: path)
    }
    return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
  }()
  static let program = programs.appendingPathComponent("coredata")

  /// Runs `coredata` to its end; `input` is its standard input.
  static func run(
    _ arguments: String...,
    input: String = "",
    in folder: URL? = nil
  ) throws -> Outcome {
    try run(arguments, input: input, in: folder)
  }

  /// The same with the arguments in an array.
  static func run(
    _ arguments: [String],
    input: String = "",
    in folder: URL? = nil
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let (inPipe, outPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
    process.standardInput = inPipe
    process.standardOutput = outPipe
    process.standardError = errorPipe
    try process.run()
    inPipe.fileHandleForWriting.write(Data(input.utf8))
    try inPipe.fileHandleForWriting.close()
    let errors = Collected()
    let reading = Thread { errors.finish(errorPipe.fileHandleForReading.readDataToEndOfFile()) }
    reading.start()
    let output = outPipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus,
      output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors.wait(), as: UTF8.self)
    )
  }

  /// What another thread reads; two full pipes would stop the program otherwise.
  private final class Collected: @unchecked Sendable {
    // Unchecked: written once before the signal, read after it.
    private var data = Data()
    private let done = DispatchSemaphore(value: 0)
    func finish(_ read: Data) {
      data = read
      done.signal()
    }
    func wait() -> Data {
      done.wait()
      return data
    }
  }
}
