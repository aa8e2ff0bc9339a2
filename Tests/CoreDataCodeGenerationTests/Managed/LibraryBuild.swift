// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The objects and modules of the build that the tests belong to, and a folder for programs.
struct LibraryBuild {
  struct Failure: Error { let text: String }

  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("matrix-\(UUID().uuidString)")
  private let arguments: [String]
  private let objects: [String]

  /// Returns nil if the objects are not beside the test program.
  init?() {
    let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let sources = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    var maps = [
      built.appendingPathComponent("CCoreDataObjectLifetime.build/module.modulemap"),
      sources.appendingPathComponent("CCoreDataSQLite/module.modulemap"),
      sources.appendingPathComponent("CCoreDataZlib/module.modulemap"),
    ]
    // A library that was built with the trait PostgreSQL needs the header of libpq, from Debian's folder.
    let modules = built.appendingPathComponent("Modules")
    let usesPostgres = FileManager.default.fileExists(
      atPath: modules.appendingPathComponent("_CoreDataPostgres.swiftmodule").path
    )
    if usesPostgres {
      maps.append(sources.appendingPathComponent("CCoreDataPostgres/module.modulemap"))
    }
    let includes = usesPostgres ? ["-Xcc", "-I/usr/include/postgresql"] : []
    // A program that depends on the library alone.
    let list = built.appendingPathComponent("LaunchedProgram.product/Objects.LinkFileList")
    guard maps.allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }),
      let text = try? String(contentsOf: list, encoding: .utf8)
    else { return nil }
    objects = text.split(separator: "\n").map(String.init)
      .filter { !$0.contains("/LaunchedProgram.build/") }
    arguments =
      ["-parse-as-library", "-package-name", "matrix", "-I", "."]
      + ["-I", modules.path] + includes
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
  }

  func write(_ path: String, _ text: String) throws {
    let file = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: file)
  }

  func compile(_ more: [String]) throws {
    try write("objects.txt", objects.joined(separator: "\n"))
    _ = try run("swiftc", arguments + more)
  }

  /// Returns the standard output of a program that runs in the folder.
  func run(_ tool: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment
      .merging(["ASAN_OPTIONS": "detect_leaks=0", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    let errors = folder.appendingPathComponent("errors.txt")
    try Data().write(to: errors)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      let text = try String(contentsOf: errors, encoding: .utf8)
      throw Failure(text: "\(tool): \(process.terminationStatus)\n\(text.prefix(4000))")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
