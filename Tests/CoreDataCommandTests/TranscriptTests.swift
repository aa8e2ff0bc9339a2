// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `docs/command.md` shows is what the command says.
///
/// With `COREDATA_WRITE_TRANSCRIPTS=1` the answers are written into the page instead of compared.
@Suite(.enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3"), .needsCommand)
struct TranscriptTests {
  private static let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs")
  private static var writes: Bool {
    ProcessInfo.processInfo.environment["COREDATA_WRITE_TRANSCRIPTS"] == "1"
  }

  private static let stores = [
    "Cars": "alemar11__CoreDataPlus__SampleModel_V2.sqlite",
    "SurfJournal": "CoderDream__Core-Data-by-Tutorials__SurfJournalModel.sqlite",
    "ScreenTime": "log2timeline__plaso__RMAdminStore-Local.sqlite",
  ]
  private static let models = [
    "Cars": "alemar11__CoreDataPlus__SampleModel~3.contents",
    "SurfJournal": "CoderDream__Core-Data-by-Tutorials__SurfJournalDatabase.contents",
  ]

  private func folder() throws -> Fixtures {
    let fixtures = try Fixtures()
    for (name, store) in Self.stores { _ = try fixtures.store(store, as: "\(name).sqlite") }
    for (name, model) in Self.models {
      let folder = fixtures.folder.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      _ = try fixtures.model(model, as: "\(name).xcdatamodel/contents")
    }
    try fixtures.compiledModel(
      "alemar11__CoreDataPlus__SampleModel_Fixtures_SampleModel.momd",
      as: "SampleModel.momd"
    )
    let notes = try NotesStores(in: fixtures.folder)
    _ = try notes.notes2("Notes.sqlite")
    _ = try notes.notes3("Notes3.sqlite")
    try PortCommandTests.writeShop(in: fixtures)
    return fixtures
  }

  @Test func everyTranscriptIsWhatTheCommandSays() throws {
    let fixtures = try folder()
    defer { fixtures.remove() }
    let page = Self.docs.appendingPathComponent("command.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    var lines: [String] = []
    var isConsole = false
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") { isConsole = line == "```console" }
      if !isConsole {
        lines.append(line)
      } else if line.hasPrefix("$ ") || line.hasPrefix("```") {
        lines.append(line)
        if line.hasPrefix("$ ") {
          lines += try outputLines(of: String(line.dropFirst(2)), in: fixtures.folder)
        }
      }
    }
    let made = lines.joined(separator: "\n")
    if Self.writes {
      try Data(made.utf8).write(to: page)
    } else {
      for (shown, said) in zip(text.components(separatedBy: "\n"), lines) {
        #expect(shown == said)
        if shown != said { break }
      }
      #expect(text == made)
    }
  }

  @Test func thePictureIsWhatTheCommandDraws() throws {
    let fixtures = try folder()
    defer { fixtures.remove() }
    let picture = Self.docs.appendingPathComponent("cars.svg")
    let drawn = try Command.run("model", "graph", "Cars.sqlite", in: fixtures.folder)
    #expect(drawn.status == 0)
    if Self.writes {
      try Data(drawn.output.utf8).write(to: picture)
    } else {
      #expect(try String(contentsOf: picture, encoding: .utf8) == drawn.output)
    }
  }

  /// Both streams of a line of the shell, and its exit code where it is not 0.
  private func outputLines(of line: String, in folder: URL) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", line]
    process.currentDirectoryURL = folder
    let programs = Command.programs.path
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = programs + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    var lines = String(decoding: output, as: UTF8.self)
      .replacingOccurrences(of: folder.resolvingSymlinksInPath().path + "/", with: "")
      .replacingOccurrences(of: folder.path + "/", with: "")
      .components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    let code = process.terminationStatus
    return code == 0 ? lines : lines + ["[exit \(code)]"]
  }
}
