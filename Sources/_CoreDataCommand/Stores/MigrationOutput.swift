// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

struct MigrationOutput {
  enum Mode { case plan, rehearsal, run }

  let store: String
  let models: MigrationModels
  let format: FormatOptions
  /// Whether the command plans, rehearses or runs the migration; the hints of errors depend on the mode.
  let mode: Mode
  /// Whether `--no-backup` was given.
  var skipsBackup = false

  private var isTable: Bool { format.format == .table }

  private var direction: String {
    let source = models.sourceName.map { "“\($0)”" } ?? "the model in the store"
    return "from \(source) to “\(models.destination.name)”"
  }

  /// Prints a result of the command, even if `--quiet` was given.
  ///
  /// In formats other than the table, nothing is printed, because the rows contain the result.
  private func result(_ text: String) { if isTable { Terminal.write(text) } }

  /// Prints where the backup is, before the store is migrated.
  func writeBackup(_ path: String) {
    if isTable {
      Terminal.write("backup: \(path)\n")
    } else {
      Terminal.printNotice("backup: \(path)")
    }
    Terminal.flush()
  }

  /// Prints a message, unless `--quiet` was given.
  ///
  /// In formats other than the table, the message goes to standard error, because standard output has only
  /// rows.
  func message(_ line: String) {
    if isTable { Terminal.printLine(line + "\n") } else { Terminal.printNotice(line) }
  }

  /// Prints a table of steps or entities, unless `--quiet` was given.
  ///
  /// Used only for the table format; other formats print their rows even with `--quiet`.
  private func writeDetails(_ columns: [String], _ rows: [[Value]]) {
    if !Terminal.isQuiet { writeRows(columns, rows) }
  }

  private func writeRows(_ columns: [String], _ rows: [[Value]]) {
    var writer = format.writer(columns)
    for row in rows { writer.write(row) }
    writer.finish()
  }

  /// Prints that the store needs no migration and, in formats other than the table, an empty list of rows.
  ///
  /// `mapping` is the path of the mapping model that the user has passed; nil if the user has not passed one.
  func writeCurrent(mapping: String?) {
    message(
      "\(store) needs no migration: it already matches the model “\(models.destination.name)”."
        + (mapping.map { " The mapping model \($0) is not used." } ?? "")
    )
    if isTable { return }
    switch mode {
    case .plan: writeRows(MigrationForecast.columns, [])
    case .rehearsal: writeRows(MigrationRehearsal.Outcome.columns, [])
    case .run: writeRows(MigrationForecast.columns, [])
    }
  }

  // MARK: Plan

  /// `mappingModel` is the name of the mapping model's file; nil for an inferred mapping.
  func write(_ forecast: MigrationForecast, mappingModel: String? = nil) {
    if !isTable { return writeRows(MigrationForecast.columns, forecast.outputRows) }
    write(forecast, title: "migration \(direction)\(Self.suffix(mappingModel))")
  }

  /// Prints the plan of each step of a migration through intermediate versions; prints nothing in formats
  /// other than the table.
  func writeSteps(of chain: MigrationModels.Chain, _ options: SQLiteStoreOptions) throws {
    if !isTable { return }
    let changes = chain.mappings.map { SteppedForecast.Change($0, entities: nil) }
    let stop = try SteppedForecast(changes, options: options).run { index, forecast in
      let (from, to) = (chain.versions[index], chain.versions[index + 1])
      let title =
        "migration step \(index + 1) of \(chain.mappings.count), from “\(from)” to “\(to)”"
      write(forecast, title: title + (index == 0 ? "" : " (planned on a copy)"))
      Terminal.printLine("\n")
    }
    if let stop {
      let version = chain.versions[stop + 1]
      Terminal.printLine(
        "The steps after “\(version)” are not planned, because the step to “\(version)” is not possible.\n\n"
      )
    }
  }

  private func write(_ forecast: MigrationForecast, title: String) {
    Terminal.printLine("\(store): \(title)\n\n")
    let notes = MigrationForecast.Note.lines(of: forecast.notes)
    if !notes.isEmpty {
      Terminal.write(notes)
      Terminal.printLine("\n")
    }
    writeSteps(forecast.steps.map { MigrationRun.Step($0) })
    Terminal.printLine(
      "\n\(CellText.count(forecast.steps.count, "step")), \(CellText.count(forecast.rows, "row")), "
        + "estimated time \(Self.duration(forecast.seconds)), without the backup\n"
    )
  }

  /// Prints the steps; if there are more than `stepLimit`, leaves out steps without rows that take almost no
  /// time.
  private func writeSteps(_ steps: [MigrationRun.Step]) {
    let shown =
      steps.count > Self.stepLimit
      ? steps.filter { $0.rows > 0 || Self.rounded($0.seconds) > 0 } : steps
    writeDetails(
      Self.stepColumns,
      shown.map { step in
        [.text(step.text), .int(Int64(step.rows)), .double(Self.rounded(step.seconds))]
      }
    )
    let hidden = steps.count - shown.count
    if hidden == 0 { return }
    Terminal.printLine(
      "and \(CellText.count(hidden, "step")) without rows (--json prints all steps)\n"
    )
  }

  /// The highest number of steps for which all steps are printed.
  private static let stepLimit = 15

  private static let stepColumns = ["step", "rows", "seconds"]

  private static func suffix(_ mappingModel: String?) -> String {
    mappingModel.map { " with the mapping model \($0)" } ?? ""
  }

  private static func rounded(_ seconds: Double) -> Double { (seconds * 100).rounded() / 100 }

  private static func duration(_ seconds: Double) -> String {
    if seconds < 0.1 { return "less than 0.1 s" }
    return seconds < 10
      ? "\((seconds * 10).rounded() / 10) s" : ProgressText.duration(seconds)
  }

  // MARK: Refusals

  /// Returns the error for a mapping that cannot be inferred.
  ///
  /// For a plan in a format other than the table, prints the reasons as rows, and returns exit code 1.
  ///
  /// `notes` contains the warnings about unused mapping models and about the order of the versions.
  func refusal(
    _ failure: InferenceFailure,
    _ chain: MigrationModels.Chain?,
    _ notes: [MigrationForecast.Note]
  ) -> any Error {
    if mode == .plan, !isTable {
      let rows = MigrationForecast(steps: [], notes: notes).outputRows
      writeRows(MigrationForecast.columns, MigrationForecast.rows(of: failure) + rows)
      return ExitCode(1)
    }
    let reasons = (failure.obstacles.map { "\($0)" } + notes.map { String($0.lines.dropLast()) })
      .map { "\n  \($0)" }.joined()
    let versions = (chain?.versionsBetween ?? []).map { "“\($0)”" }
    return ToolError(
      "\(store): the migration \(direction) cannot be inferred:\(reasons)",
      hint: versions.first.map { first in
        "Mappings can be inferred step by step through \(versions.joined(separator: ", ")). Pass --to with "
          + "\(first) first."
      }
    )
  }

  func error(missing file: MappingModelFile) -> ToolError {
    let lines = file.policies.map { "\n  \($0.mapping): \($0.policy)" }.joined()
    return ToolError(
      "\(store): the migration \(direction) needs policy classes of the mapping model \(file.name), which only "
        + "the app has:\(lines)",
      hint:
        "Open a copy of the store with the app, which migrates it; --plan shows the rest of the mapping model."
    )
  }

  /// Returns the error for a refused migration: existing objects prevent the migration, objects could not be
  /// saved afterwards, or something would be lost.
  func error(_ notes: [MigrationForecast.Note]) -> ToolError {
    let isRefused = notes.contains { $0.kind == .refusal }
    let lines = MigrationForecast.Note.lines(of: notes).split(separator: "\n")
      .map { "\n  \($0)" }.joined()
    return isRefused
      ? ToolError(
        "\(store): the migration \(direction) is not possible:\(lines)",
        hint:
          "Change or delete these objects with the old model, or write a mapping model that converts them."
      )
      : notes.allSatisfy { $0.kind == .invalid }
        ? ToolError(
          "\(store): after the migration \(direction), objects could not be saved, so nothing was migrated:\(lines)",
          hint:
            "Make the relationship optional, or pass --allow-loss to migrate anyway and set the "
            + "destinations afterwards."
        )
        : ToolError(
          "\(store): the migration \(direction) would lose something, so nothing was migrated:\(lines)",
          hint:
            "Pass --allow-loss to migrate anyway. "
            + (skipsBackup
              ? "Omit --no-backup to keep the lost data in a backup."
              : "The backup keeps the lost data.")
        )
  }

  /// The error for a migration between models that have no entity in common.
  var unrelated: ToolError {
    ToolError(
      "\(store): the migration \(direction) would remove everything: no entity of the store is in the model",
      hint:
        "The model may belong to another app. Pass the model of this store"
        + (mode == .run ? ", or --allow-loss to migrate anyway." : ".")
    )
  }

  /// Returns the error for a store whose version is newer than the version to migrate to.
  func error(older note: MigrationForecast.Note) -> ToolError {
    ToolError(
      "\(store): the migration \(direction) leads to an older version of the model, so nothing was migrated:"
        + "\n  \(note.lines.dropLast())",
      hint: "Pass --allow-older to migrate to the older version. --plan shows what would be lost."
    )
  }

  /// Returns `error` with the addition that nothing was migrated; `removed` is the path of the removed
  /// backup, or nil.
  func error(unchanged error: any Error, removed: String?) -> ToolError {
    let cause = ToolError(error)
    return ToolError(
      "\(cause.message)\n  Nothing was migrated"
        + (removed.map { ", so the backup \($0) was removed." } ?? "."),
      hint: cause.hint
    )
  }

  /// Returns `error` with the path of the backup in its text, because the state of the store is unknown.
  func error(unknown error: any Error, backup: String) -> ToolError {
    let cause = ToolError(error)
    return ToolError(
      "\(cause.message)\n  The store may have changed. The backup from before the migration is \(backup).",
      hint: cause.hint
    )
  }

  func error(_ outcome: MigrationRehearsal.Outcome) -> ToolError {
    let shown = outcome.differences.prefix(10).map { difference in
      "\n  \(difference.object)\(difference.property.map { "." + $0 } ?? ""): \(difference.text)"
    }
    let more = outcome.tallies.reduce(0) { $0 + $1.differences } - shown.count
    let rest = more > 0 ? ["\n  and \(CellText.count(more, "more difference"))"] : []
    let findings = outcome.findings.map { "\n  \($0.location): \($0.message)" }
    return ToolError(
      "\(store): a rehearsal of the migration \(direction) shows differences, so nothing was migrated:"
        + (shown + rest + findings).joined(),
      hint: "Pass --rehearse to list more differences, or --allow-loss to migrate anyway."
    )
  }

  // MARK: Rehearsal

  /// `mappingModel` is the name of the mapping model's file; nil for an inferred mapping.
  func write(
    _ outcome: MigrationRehearsal.Outcome,
    _ forecast: MigrationForecast,
    mappingModel: String? = nil
  ) {
    if !isTable {
      return writeRows(MigrationRehearsal.Outcome.columns, outcome.rows(forecast))
    }
    let suffix = Self.suffix(mappingModel)
    Terminal.printLine("\(store): rehearsal of the migration \(direction)\(suffix)\n\n")
    writeDetails(
      [mappingModel == nil ? "entity" : "mapping", "objects", "values", "links", "differences"],
      outcome.tallies.map { tally in
        let name =
          tally.source == tally.entity ? tally.entity : "\(tally.entity) (was \(tally.source))"
        return [
          .text(name), .int(Int64(tally.objects)), .int(Int64(tally.values)),
          .int(Int64(tally.links)), .int(Int64(tally.differences)),
        ]
      }
    )
    Terminal.printLine("\n")
    let notes = forecast.notes.filter { $0.kind != .doubt }
    Terminal.write(MigrationForecast.Note.lines(of: notes))
    for difference in outcome.differences {
      let name = difference.object + (difference.property.map { "." + $0 } ?? "")
      Terminal.write("different: \(name): \(difference.text)\n")
    }
    for finding in outcome.findings { Terminal.write(finding.text + "\n") }
    for expression in outcome.skipped { Terminal.write("not compared: \(expression)\n") }
    Terminal.printLine(result(outcome, forecast, isInferred: mappingModel == nil) + "\n")
  }

  /// Returns the last line of a rehearsal's output.
  private func result(
    _ outcome: MigrationRehearsal.Outcome,
    _ forecast: MigrationForecast,
    isInferred: Bool
  ) -> String {
    if !outcome.differences.isEmpty {
      return "The copy differs from "
        + (isInferred ? "the store" : "the result that the mapping model specifies")
        + "; the store was not changed."
    }
    let isSound = outcome.findings.isEmpty
    if !isInferred {
      return "The compared values and links are those that the mapping model specifies, "
        + (isSound
          ? "and the doctor finds nothing in the copy."
          : "but the doctor finds problems in the copy.")
    }
    return "All objects, values and links that both models have are equal"
      + (forecast.fillings.isEmpty ? "" : ", except that default values replace missing ones")
      + (isSound ? "." : ", but the doctor finds problems in the copy.")
  }

  // MARK: Migration

  /// Prints the result of a migration; `forecast` contains the losses that the user has allowed.
  func write(_ outcome: MigrationRun.Outcome, _ forecast: MigrationForecast, backup: String?) {
    if outcome.wasDone {
      message("\(store): another process has migrated the store meanwhile.")
    } else if isTable {
      Terminal.printLine("\(store): migrated \(direction)\n\n")
    }
    if !isTable {
      writeRows(MigrationForecast.columns, outcome.rows(forecast, backup: backup))
    } else if !outcome.steps.isEmpty {
      writeSteps(outcome.steps)
    }
    if outcome.wasDone { return }
    let notes = forecast.notes.filter { ![.doubt, .refusal].contains($0.kind) }
    if !notes.isEmpty {
      let lines = MigrationForecast.Note.lines(of: notes.map(\.withoutHint))
      result((Terminal.isQuiet ? "" : "\n") + lines)
    }
    let rows = outcome.steps.reduce(0) { $0 + $1.rows }
    message(
      (isTable ? "\n" : "") + "\(CellText.count(outcome.steps.count, "step")), "
        + "\(CellText.count(rows, "row")), \(Self.duration(outcome.seconds))"
    )
  }
}
#endif
