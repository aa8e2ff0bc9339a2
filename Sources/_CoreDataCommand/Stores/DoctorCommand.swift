// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks a store for damage, and repairs it with --repair.",
    discussion: """
      Checks the integrity of the file, tables and metadata, primary keys (Z_PK, Z_MAX), versions \
      (Z_OPT), entity numbers, dangling references, inverses that do not refer back, the order of \
      ordered relationships, mandatory values, uniqueness constraints, and external storage.

      Exits with 0 for a healthy store, with 1 if there are findings. --hints also shows \
      irregularities that Apple's framework itself leaves in sound stores, such as a one-to-one \
      relationship that is set on only one side. --repair writes a backup (Shop.sqlite.backup), makes \
      all possible repairs in one transaction, prints what it changed and which values it removed, \
      and exits with 1 if findings remain. References to rows whose key or entity number may be \
      damaged are not repaired.

        coredata doctor Shop.sqlite --model Shop.xcdatamodeld
        coredata doctor Shop.sqlite --model Shop.xcdatamodeld --repair
      """
  )

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var format: FormatOptions
  @OptionGroup var verbosity: QuietOption

  @Flag(
    help: "Also show hints. A hint is not damage: the store is healthy, and --repair ignores it."
  )
  var hints = false

  @Flag(help: "Make a backup, and then make all possible repairs.")
  var repair = false

  @Flag(
    name: .customLong("no-backup"),
    help: """
      Do not make a backup with --repair, but print all removed values (with --quiet, to standard error). \
      Not allowed for a file that may be damaged.
      """
  )
  var skipsBackup = false

  func validate() throws {
    if skipsBackup, !repair { throw ValidationError("--no-backup requires --repair.") }
  }

  func run() throws {
    try Report.running(quiet: verbosity.quiet) {
      try StoreOptions.requireFile(
        storeOptions.store,
        "doctor",
        because: "it looks for damage that foreign keys and types prevent in a database"
      )
      if repair { try UnfinishedTransaction.rollBack(in: storeOptions.store) }
      let all = try examine()
      let findings = all.filter { $0.severity != .hint }
      if !repair || findings.isEmpty { return try show(all) }
      let isDoubtful = findings.contains { $0.check == .integrity }
      if isDoubtful, skipsBackup {
        throw ToolError(
          "\(storeOptions.store): the file may be damaged, so it is not repaired without a backup",
          hint: "Omit --no-backup."
        )
      }
      try treat()
    }
  }

  private func examine() throws -> [Finding] {
    let file = try StoreFile(path: storeOptions.store, access: .untouched)
    let loaded = try ModelOpening.model(for: file, model: storeOptions.modelURL)
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
    if isHealthy { Terminal.printLine("\(storeOptions.store) is healthy.\n") }
  }

  private func treat() throws {
    let file = try StoreFile(path: storeOptions.store, access: .untouched)
    let loaded = try ModelOpening.model(for: file, model: storeOptions.modelURL)
    let treatment = try Treatment(path: storeOptions.store, loaded)
    let backup = skipsBackup ? nil : treatment.backupPath
    let steps = try treatment.repair(backup: backup)
    if let backup { printMessage("backup: \(backup)") }
    for step in steps {
      let repaired =
        "repaired: \(step.finding.check.rawValue): \(step.finding.location): "
        + "\(step.action): \(changes(of: step))"
      // Without a backup this output is the only record of the removed values, so all of them are printed,
      // even with `--quiet`.
      if backup == nil, verbosity.quiet, !step.losses.isEmpty {
        Terminal.printError(repaired)
        for loss in step.losses { Terminal.printError("    was \(loss)") }
        continue
      }
      printMessage(repaired)
      let shown = backup == nil ? step.losses.count : 5
      for loss in step.losses.prefix(shown) { printMessage("    was \(loss)") }
      let more = step.losses.count - shown
      if more > 0 {
        printMessage("    and \(CellText.count(more, "more value")) in the backup")
      }
    }
    try show(try examine())
  }

  /// Returns what a step has changed, such as `3 rows changed`.
  private func changes(of step: Treatment.Step) -> String {
    switch step.finding.check {
    case .integrity: "\(CellText.count(step.changes, "problem")) repaired"
    case .orphanFile: "\(CellText.count(step.changes, "file")) moved"
    default: "\(CellText.count(step.changes, "row")) changed"
    }
  }

  /// Prints a message about a repair, unless `--quiet` was given.
  ///
  /// In formats other than the table, the message goes to standard error, because standard output has only
  /// rows.
  private func printMessage(_ line: String) {
    if format.format == .table {
      Terminal.printLine(line + "\n")
    } else {
      Terminal.printNotice(line)
    }
  }
}
#endif
