// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The compiler accepts what `coredata port` writes: on Linux, and as far as its parser can tell where
/// `canImport(ObjectiveC)` is true.
@Suite(
  .enabled(if: Fixtures.compilerArguments != nil, "the modules of the build are not there"),
  .needsCommand
)
struct PortCompileTests {
  @Test func portedSourcesOfAllGenerationsCompile() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    var files: [String] = []
    for (name, text) in XcodeSources.files {
      let url = fixtures.folder.appendingPathComponent(name)
      try Data(text.utf8).write(to: url)
      files.append(url.path)
    }
    let outcome = try Command.run(["port", "--write", fixtures.folder.path])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let arguments = try #require(Fixtures.compilerArguments)
      .map { $0 == "6" ? "5" : $0 }
    let checked = try compiler(["-typecheck", "-module-name", "Shop"] + arguments + files)
    #expect(checked.status == 0, "\(checked.output)")
    for file in files {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("@objc") == XcodeSources.usesRuntime(file), "\(file)")
      try Data(text.replacingOccurrences(of: "canImport(ObjectiveC)", with: "true").utf8)
        .write(to: URL(fileURLWithPath: file))
    }
    let parsed = try compiler(["-frontend", "-parse"] + files)
    #expect(parsed.status == 0, "\(parsed.output)")
  }

  private func compiler(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swiftc"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
