// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
  "coredata migrate, when it or an app is interrupted",
  .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3"),
  .needsCommand
)
struct InterruptedMigrateTests {
  private struct Ended {
    let reason: Process.TerminationReason
    let status: Int32
    let errors: String
  }

  /// Launches the command, and sends it a signal as soon as `folder` has a new file whose name contains `part`.
  private func interrupt(
    _ arguments: [String],
    _ signal: Int32,
    when part: String,
    in folder: URL,
    environment: [String: String] = [:]
  ) throws -> Ended {
    let before = Set(try names(folder))
    let process = Process()
    process.executableURL = Command.program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    while process.isRunning,
      try !names(folder).contains(where: { $0.contains(part) && !before.contains($0) })
    {}
    kill(process.processIdentifier, signal)
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Ended(
      reason: process.terminationReason,
      status: process.terminationStatus,
      errors: String(decoding: text, as: UTF8.self)
    )
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
  }

  /// A store whose backup takes a while, because it has many external files.
  private func garage() throws -> Garage {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    let values = garage.fixtures.folder.appendingPathComponent(".Cars_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
    for _ in 0..<1000 {
      try Data([1]).write(to: values.appendingPathComponent(UUID().uuidString))
    }
    return garage
  }

  @Test("an interrupted backup is removed", arguments: [SIGINT, SIGTERM, SIGHUP])
  func backup(signal: Int32) throws {
    let garage = try garage()
    defer { garage.remove() }
    let folder = garage.fixtures.folder
    let before = try garage.state()
    let ended = try interrupt(
      ["migrate", garage.store, garage.model],
      signal,
      when: "Cars.sqlite.backup",
      in: folder
    )
    #expect(ended.reason == .uncaughtSignal && ended.status == signal)
    #expect(ended.errors.contains("Removed the unfinished backup \(garage.store).backup."))
    #expect(try garage.state() == before)
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/.Cars.sqlite_SUPPORT"))
  }

  @Test("a backup that a killed process left unfinished is removed by the next migration")
  func killedBackup() throws {
    let garage = try garage()
    defer { garage.remove() }
    let ended = try interrupt(
      ["migrate", garage.store, garage.model],
      SIGKILL,
      when: "Cars.sqlite.backup",
      in: garage.fixtures.folder
    )
    #expect(ended.reason == .uncaughtSignal)
    #expect(!FileManager.default.fileExists(atPath: "\(garage.store).backup"))
    #expect(try names(garage.fixtures.folder).contains { $0.contains("unfinished") })
    let outcome = try garage.migrate()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Process.sqlite("\(garage.store).backup", "SELECT COUNT(*) FROM ZCAR") == "125\n")
    #expect(try !names(garage.fixtures.folder).contains { $0.contains("unfinished") })
  }

  @Test("an interrupted rehearsal removes its copy, and the next one that of a killed process")
  func rehearsal() throws {
    let garage = try garage()
    defer { garage.remove() }
    let temporary = garage.fixtures.folder.appendingPathComponent("tmp")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    for signal in [SIGKILL, SIGINT] {
      var ended: Ended
      var attempts = 0
      // On a fast computer the rehearsal can end before the signal reaches it.
      repeat {
        ended = try interrupt(
          ["migrate", garage.store, garage.model, "--rehearse"],
          signal,
          when: "coredata-rehearsal-",
          in: temporary,
          environment: ["TMPDIR": temporary.path]
        )
        attempts += 1
      } while ended.reason == .exit && attempts < 50
      #expect(ended.reason == .uncaughtSignal && ended.status == signal)
      #expect(try names(temporary).count == (signal == SIGKILL ? 1 : 0))
    }
  }

  @Test("a rehearsal without a folder of temporary files names the folder and TMPDIR")
  func noTemporaryFolder() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    let missing = "\(garage.fixtures.folder.path)/missing"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "TMPDIR=\(missing)", Command.program.path, "migrate", garage.store, garage.model,
      "--rehearse",
    ]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
    #expect(text.contains("TMPDIR") && text.contains(missing), "\(text)")
  }

  // MARK: Unfinished transactions

  /// Leaves the store as an app does that is killed in the middle of a save with a rollback journal.
  private func interruptSave(_ garage: Garage) throws {
    let store = URL(fileURLWithPath: garage.store)
    let kept = store.deletingLastPathComponent().appendingPathComponent("kept")
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", garage.store]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let statements =
      "PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE ZCAR SET ZMODEL = hex(zeroblob(2000)); "
      + "DELETE FROM ZPERSON; SELECT 'written';\n"
    input.fileHandleForWriting.write(Data(statements.utf8))
    #expect(output.fileHandleForReading.availableData.starts(with: Data("written".utf8)))
    try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
    for name in ["Cars.sqlite", "Cars.sqlite-journal"] {
      try FileManager.default.copyItem(
        at: store.deletingLastPathComponent().appendingPathComponent(name),
        to: kept.appendingPathComponent(name)
      )
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    for name in ["Cars.sqlite", "Cars.sqlite-journal"] {
      let place = store.deletingLastPathComponent().appendingPathComponent(name)
      // The journal is gone after the rollback.
      try? FileManager.default.removeItem(at: place)
      try FileManager.default.moveItem(at: kept.appendingPathComponent(name), to: place)
    }
    try FileManager.default.removeItem(at: kept)
  }

  @Test("commands that read name the journal of an unfinished transaction, and the way out")
  func unfinishedTransaction() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    try interruptSave(garage)
    let before = try garage.state()
    for arguments in [
      ["inspect", garage.store], ["doctor", garage.store],
      ["migrate", garage.store, garage.model, "--plan"],
      ["migrate", garage.store, garage.model, "--rehearse"],
    ] {
      let outcome = try Command.run(arguments)
      #expect(outcome.status == 2 && outcome.errors.contains("Cars.sqlite-journal"), "\(arguments)")
      #expect(outcome.errors.contains("`coredata migrate`"), "\(outcome.errors)")
      #expect(!outcome.errors.contains("readonly") && !outcome.errors.contains("Make the file"))
    }
    #expect(try garage.state() == before)
  }

  @Test("a migration and a repair roll back an unfinished transaction first")
  func rolledBack() throws {
    for arguments in [["doctor", "--repair"], ["migrate"]] {
      let garage = try Garage((Garage.model, Garage.model + Garage.doors))
      defer { garage.remove() }
      try interruptSave(garage)
      let model = arguments[0] == "migrate" ? [garage.model] : []
      let outcome = try Command.run([arguments[0], garage.store] + model + arguments.dropFirst())
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("its unfinished transaction was rolled back"))
      #expect(try Process.sqlite(garage.store, "SELECT COUNT(*) FROM ZPERSON") == "20\n")
      #expect(
        try Process.sqlite(garage.store, "SELECT COUNT(*) FROM ZCAR WHERE ZMODEL > '0000'")
          != "0\n"
      )
    }
  }

  // MARK: Versions

  @Test("without a current version, --to is required, and `model check` warns")
  func noCurrentVersion() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    try FileManager.default.removeItem(atPath: "\(garage.model)/.xccurrentversion")
    let before = try garage.state()
    for options in [["--plan"], ["--rehearse"], []] {
      let outcome = try Command.run(["migrate", garage.store, garage.model] + options)
      #expect(outcome.status == 2 && outcome.errors.contains(".xccurrentversion"))
      #expect(
        outcome.errors.contains("Pass --to with the version to migrate to: “Cars”, “Cars 2”.")
      )
    }
    #expect(try garage.state() == before)
    #expect(try garage.migrate("--plan", "--to", "Cars 2").status == 0)
    let check = try Command.run("model", "check", garage.model)
    #expect(check.status == 0, "\(check.errors)")
    #expect(
      check.errors.contains("warning: ") && check.errors.contains("the first, “Cars”, is used")
    )
  }
}
