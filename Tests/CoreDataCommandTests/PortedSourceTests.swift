// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Ports the fifty sources in `PortedSources` again.
///
/// `ManagedClassTests` compiles and runs what `coredata port --write` wrote.
@Suite(.needsCommand)
struct PortedSourceTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".txt") }.sorted()
  }

  /// With `COREDATA_WRITE_TRANSCRIPTS=1` the sources of `ManagedClassTests` are written instead of compared.
  @Test func fiftySourcesBecomeThoseThatAreCompiled() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let originals = Self.tests.appendingPathComponent("CoreDataCommandTests/PortedSources")
    let compiled = Self.tests.appendingPathComponent("ManagedClassTests/Ported")
    let names = try names(in: originals)
    #expect(names.count == 50)
    try FileManager.default.copyItem(
      at: Self.tests.appendingPathComponent("ManagedClassTests/Generations.xcdatamodeld"),
      to: fixtures.folder.appendingPathComponent("Generations.xcdatamodeld")
    )
    for name in names {
      try FileManager.default.copyItem(
        at: originals.appendingPathComponent(name),
        to: fixtures.folder.appendingPathComponent(String(name.dropLast(4)))
      )
    }
    let outcome = try Command.run("port", ".", "--write", in: fixtures.folder)
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(outcome.output.hasSuffix("; nothing left for a person\n"))
    if ProcessInfo.processInfo.environment["COREDATA_WRITE_TRANSCRIPTS"] == "1" {
      for name in try self.names(in: fixtures.folder) {
        try Data(contentsOf: fixtures.folder.appendingPathComponent(name))
          .write(to: compiled.appendingPathComponent(name))
      }
    }
    let written = try self.names(in: fixtures.folder)
    #expect(try self.names(in: compiled) == written)
    for name in written {
      let text = try String(
        contentsOf: fixtures.folder.appendingPathComponent(name),
        encoding: .utf8
      )
      let known = try String(contentsOf: compiled.appendingPathComponent(name), encoding: .utf8)
      #expect(text == known, "\(name)")
    }
    let again = try Command.run("port", ".", "--write", in: fixtures.folder)
    #expect(again.output == "nothing to rewrite; nothing left for a person\n")
  }
}
