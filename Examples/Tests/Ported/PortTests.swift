// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `coredata port` turns the sources in `Ported/Xcode` into those that the targets Rolodex and RolodexTests build.
@Suite struct PortTests {
  private static let ported = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Ported")

  /// A copy of the original sources, which is removed with the instance.
  private final class Copy {
    let folder: URL

    init() throws {
      folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("Rolodex-\(UUID().uuidString)")
      let original = PortTests.ported.appendingPathComponent("Xcode")
      try FileManager.default.copyItem(at: original, to: folder)
    }

    deinit {
      // A folder that cannot be removed stays in the temporary folder.
      try? FileManager.default.removeItem(at: folder)
    }

    func port(_ options: String...) throws -> Outcome {
      try Outcome(PortTests.command, ["port", folder.path] + options)
    }
  }

  /// The output and the exit code of a program.
  private struct Outcome {
    let output: String
    let status: Int32

    init(_ program: String, _ arguments: [String]) throws {
      let process = Process()
      let pipe = Pipe()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      status = process.terminationStatus
    }
  }

  /// The path of `coredata`, which is built beside the tests.
  private static let command =
    Bundle.main.executableURL?.deletingLastPathComponent()
    .appendingPathComponent("coredata").path ?? ""

  /// Returns the files of a folder by their paths in it.
  private static func files(_ folder: URL) throws -> [String: String] {
    var files: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let url = folder.appendingPathComponent(path)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder),
        !isFolder.boolValue
      else { continue }
      files[path] = try String(contentsOf: url, encoding: .utf8)
    }
    return files
  }

  /// The files that the targets build.
  private static func built() throws -> [String: String] {
    try files(ported).filter { !$0.key.hasPrefix("Xcode/") }
  }

  @Test("The targets build what coredata port --write makes of the originals")
  func write() throws {
    let copy = try Copy()
    let outcome = try copy.port("--write")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.hasSuffix("; nothing left for a person\n"), "\(outcome.output)")
    let (written, built) = (try Self.files(copy.folder), try Self.built())
    #expect(written.keys.sorted() == built.keys.sorted())
    for (path, text) in written { #expect(text == built[path], "\(path)") }
  }

  @Test("A second run changes nothing")
  func secondRun() throws {
    let copy = try Copy()
    _ = try copy.port("--write")
    let first = try Self.files(copy.folder)
    let outcome = try copy.port("--write")
    #expect(outcome.output == "nothing to rewrite; nothing left for a person\n")
    #expect(outcome.status == 0)
    #expect(try Self.files(copy.folder) == first)
  }

  @Test("Both branches of what was written parse, and the one for Apple's systems is the original")
  func appleSystems() throws {
    let copy = try Copy()
    let originals = try Self.files(copy.folder)
    _ = try copy.port("--write")
    var sources: [String] = []
    for (path, original) in originals where path.hasSuffix(".swift") {
      let url = copy.folder.appendingPathComponent(path)
      let written = try String(contentsOf: url, encoding: .utf8)
      let apple = Self.onApple(written)
      #expect(!apple.contains("#if "), "\(path)")
      // What is written the same for both systems: strings for key paths and selectors, and requests.
      var expected = original
      for (old, new) in Self.replacements {
        expected = expected.replacingOccurrences(of: old, with: new)
      }
      expected.replace(/#keyPath\((\w+\.)?(\w+)\)/) { "\"\($0.output.2)\"" }
      #expect(Self.words(apple) == Self.words(expected), "\(path)")
      let other = url.deletingPathExtension().appendingPathExtension("apple.swift")
      try Data(apple.utf8).write(to: other)
      sources += [url.path, other.path]
    }
    #expect(sources.count == 28)
    let outcome = try Outcome("/usr/bin/env", ["swiftc", "-frontend", "-parse"] + sources)
    #expect(outcome.status == 0 && outcome.output == "", "\(outcome.output)")
  }

  private static let replacements = [
    (
      "#selector(NSString.localizedCaseInsensitiveCompare(_:))",
      #"Selector(("localizedCaseInsensitiveCompare:"))"#
    ),
    (
      "Meeting.fetchRequest() as! NSFetchRequest<Meeting>",
      #"NSFetchRequest<Meeting>(entityName: "Meeting")"#
    ),
  ]

  /// Returns a source as it is compiled where every module of Apple's exists.
  private static func onApple(_ text: String) -> String {
    var lines: [Substring] = []
    var branches: [Bool] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let directive = line.trimmingCharacters(in: .whitespaces)
      if directive.hasPrefix("#if canImport(") {
        branches.append(true)
      } else if directive.hasPrefix("#if !canImport(") {
        branches.append(false)
      } else if directive == "#else", let last = branches.popLast() {
        branches.append(!last)
      } else if directive == "#endif" {
        branches.removeLast()
      } else if branches.allSatisfy({ $0 }) {
        lines.append(line)
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func words(_ text: String) -> [Substring] {
    text.split(whereSeparator: \.isWhitespace)
  }
}
