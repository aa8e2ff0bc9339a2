// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

/// `coredata doctor`: checks a store for damage and repairs it.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Looks for damage in a store, and repairs it when asked to.",
    discussion: """
      Looks at the file's integrity, tables and metadata, keys (Z_PK, Z_MAX), versions (Z_OPT), \
      entity numbers, dangling to-ones and pairs, inverses that do not lead back, places of \
      ordered relationships, mandatory values, uniqueness constraints, and files of large values.

      Exits with 0 for a healthy store, 1 where there are findings. --hints also shows what \
      Apple's framework leaves in sound stores although the model asks for something else, such \
      as a one-to-one relationship that is set on one side alone. --repair writes a backup \
      (Shop.sqlite.backup), repairs in one transaction what can be repaired, says what it changed \
      and which values it took away, and exits with 1 where something is left. References to rows \
      that damage may have given another key or entity number are left as they are.

        coredata doctor Shop.sqlite --model Shop.xcdatamodeld
        coredata doctor Shop.sqlite --model Shop.xcdatamodeld --repair
      """
  )

  @OptionGroup var place: StoreOptions
  @OptionGroup var format: FormatOptions
  @OptionGroup var verbosity: QuietOption

  @Flag(help: "Show hints too. They are no damage: the store is healthy, and --repair leaves them.")
  var hints = false

  @Flag(help: "Repair what can be repaired, after a backup.")
  var repair = false

  @Flag(
    name: .customLong("no-backup"),
    help: "With --repair: make no backup. Refused for a file whose integrity is in doubt."
  )
  var skipsBackup = false

  func validate() throws {
    if skipsBackup, !repair { throw ValidationError("--no-backup goes with --repair.") }
  }

  func run() throws {
    try Report.running(quiet: verbosity.quiet) {
      let all = try examine()
      let findings = all.filter { $0.severity != .hint }
      if !repair || findings.isEmpty { return try show(all) }
      let isDoubtful = findings.contains { $0.check == .integrity }
      if isDoubtful, skipsBackup {
        throw ToolError(
          "\(place.store): its integrity is in doubt, so it is not repaired without a backup",
          hint: "Leave --no-backup out."
        )
      }
      try treat()
    }
  }

  private func examine() throws -> [Finding] {
    let file = try StoreFile(path: place.store, access: .untouched)
    let loaded = try ModelOpening.model(for: file, model: place.modelURL)
    ModelOptions.warn(loaded)
    let progress = Progress("Examining")
    var entities = 0
    let findings = try Doctor(file, loaded).examine { _ in
      entities += 1
      progress.update(entities)
    }
    progress.finish()
    return findings
  }

  /// Prints the findings.
  ///
  /// - Throws: exit code 1 if there is a finding other than a hint.
  private func show(_ all: [Finding]) throws {
    let findings = hints ? all : all.filter { $0.severity != .hint }
    let isHealthy = all.allSatisfy { $0.severity == .hint }
    write(findings, isHealthy: isHealthy)
    if !isHealthy { throw ExitCode(1) }
  }

  private func write(_ findings: [Finding], isHealthy: Bool) {
    if format.format != .table {
      var writer = format.writer(Finding.columns)
      for finding in findings { writer.write(finding.row) }
      writer.finish()
      return
    }
    for finding in findings { Terminal.write(finding.text + "\n") }
    if isHealthy { Terminal.say("\(place.store) is healthy.\n") }
  }

  private func treat() throws {
    let file = try StoreFile(path: place.store, access: .untouched)
    let loaded = try ModelOpening.model(for: file, model: place.modelURL)
    if loaded.source.isReconstructed {
      throw ToolError(
        "\(place.store): a model made of tables is only good for reading, so nothing is repaired",
        hint: "Pass the model with --model MODEL.xcdatamodeld (or .momd)."
      )
    }
    let treatment = Treatment(path: place.store, model: loaded.definition)
    let backup = skipsBackup ? nil : treatment.backupPath
    let steps = try treatment.repair(backup: backup)
    if let backup { tell("backup: \(backup)") }
    for step in steps {
      tell(
        "repaired: \(step.finding.check.rawValue): \(step.finding.place): "
          + "\(step.action): \(CellText.count(step.changes)) changed"
      )
      // All removed values are shown if there is no backup, because then this is the only record of them.
      let shown = backup == nil ? step.losses.count : 5
      for loss in step.losses.prefix(shown) { tell("    was \(loss)") }
      let more = step.losses.count - shown
      if more > 0 { tell("    and \(CellText.count(more)) more, which the backup has") }
    }
    try show(try examine())
  }

  /// Prints a message about a repair; to standard error if the output is for programs.
  private func tell(_ line: String) {
    if format.format == .table { Terminal.say(line + "\n") } else { Terminal.remark(line) }
  }
}
