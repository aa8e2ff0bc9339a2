// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore
import _CoreDataTools

struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Migrates a store to another version of its model.",
    usage: """
      coredata migrate <store> <model> [--to <version>] [--from <model>] [--mapping <file> | --infer] \
      [--plan | --rehearse] [--allow-loss] [--allow-older] [--no-backup]
      coredata migrate <model> --check <file> [--update]
      """,
    discussion: """
      Migrates to the current version of the model, or to the version that --to names. A model with \
      several versions and without a current one requires --to. The model that created the store is read \
      from the store's own copy or, if there is none, from the versions of the model that is passed, and of \
      the model that --from names. If there is a mapping model (.xcmappingmodel, .cdm) for the two versions \
      beside the model or in --mapping, the store is migrated with it; otherwise, or with --infer, the \
      mapping is inferred. If a mapping model has policy classes, only the app that contains these classes \
      can migrate the store.

      --plan only reads: it prints everything that would be lost, everything that prevents the migration, \
      the steps with the rows that each one reads or writes, and an estimate of the time, without the time \
      of the backup. The estimate is computed from the sizes and the measured time of rows from the whole \
      range of each table's keys. If a mapping can be inferred only through intermediate versions of the \
      model, --plan prints a plan for the step to each version, and carries out the earlier steps on a copy \
      in the folder of temporary files (TMPDIR). --rehearse migrates a copy in the folder of temporary \
      files, compares it with the store object by object, and removes it, also if it is interrupted; with a \
      mapping model, it compares the values with those that the expressions give. Without these options, \
      the store is backed up and migrated in one transaction; if the migration fails, the store does not \
      change. The backup is Shop.sqlite.backup or, if this file exists, Shop.sqlite.backup-2 and so on; its \
      name is printed. The migrated store is in write-ahead mode.

      --check compares the versions of a model with a file that contains the hashes of its released \
      versions, and --update writes this file. The current version need not be in the file.

      Exit codes                      --plan  --rehearse  migration
        nothing lost, or to migrate   0       0           0
        something lost                1       1           2 (0: --allow-loss)
        links that may be lost        1       1 if lost   2 if lost (0: --allow-loss)
        objects that cannot be saved  1       1           2 (0: --allow-loss)
        no entity of the store        1       1           2 (0: --allow-loss)
        an older version              1       1           2 (0: --allow-older)
        the mapping is not inferred   1       1           2
        objects prevent it            1       1           2
        a policy class is missing     1       1           2
        the copy differs              -       1           -
        a file cannot be read         2       2           2
      With --check, the exit code is 1 if a released version was edited or is missing. Arguments that are \
      not valid end with 64.

        coredata migrate Shop.sqlite Shop.xcdatamodeld --plan
        coredata migrate Shop.sqlite Shop.xcdatamodeld --rehearse
        coredata migrate Shop.sqlite Shop.xcdatamodeld
        coredata migrate Shop.xcdatamodeld --check Shop.versions.json
      """
  )

  @Argument(help: "The store file or, with --check, the model.", completion: .file())
  var store: String

  @Argument(
    help: "The model: an .xcdatamodeld, .momd, .xcdatamodel, contents file or .mom.",
    completion: .file()
  )
  var model: String?

  @Option(help: "The name of the version to migrate to; by default the current version.")
  var to: String?

  @Option(
    help:
      "The model that created the store, if neither the store nor <model> contains it.",
    completion: .file()
  )
  var from: String?

  @Option(
    help:
      "The mapping model; by default one beside the model that fits both versions, if there is one.",
    completion: .file()
  )
  var mapping: String?

  @Flag(help: "Infer the mapping, even if there is a mapping model for the two versions.")
  var infer = false

  @Flag(help: "Only print what the migration would do.")
  var plan = false

  @Flag(help: "Migrate and compare a temporary copy.")
  var rehearse = false

  @Flag(
    help:
      "Migrate even if something is lost, or if objects have no value for a mandatory relationship."
  )
  var allowLoss = false

  @Flag(help: "Migrate even if the version is older than the store's version.")
  var allowOlder = false

  @Flag(name: .customLong("no-backup"), help: "Do not make a backup before the migration.")
  var skipsBackup = false

  @Option(
    help: "Compare the model's versions with this file of released versions.",
    completion: .file()
  )
  var check: String?

  @Flag(help: "With --check: write the file.")
  var update = false

  /// The number of seconds to wait for a lock.
  private static let timeout = 5.0

  @OptionGroup var format: FormatOptions
  @OptionGroup var verbosity: QuietOption

  func validate() throws {
    if let problem = combinationProblem { throw ValidationError(problem) }
  }

  private var combinationProblem: String? {
    if check != nil {
      if model != nil {
        return "With --check, pass only the model: coredata migrate <model> --check <file>."
      }
      let changesStores =
        plan || rehearse || allowLoss || allowOlder || skipsBackup || infer || to != nil
        || from != nil || mapping != nil
      return changesStores
        ? "--check has no effect on stores. Omit --plan, --rehearse, --allow-loss, --allow-older, --no-backup, "
          + "--from, --infer, --mapping and --to."
        : nil
    }
    if update { return "--update requires --check." }
    if model == nil { return "Pass the model to migrate to." }
    if plan, rehearse { return "Pass either --plan or --rehearse." }
    if infer, mapping != nil { return "Pass either --infer or --mapping." }
    let isReading = plan || rehearse
    if isReading, allowLoss { return "--allow-loss has no effect with --plan and --rehearse." }
    if isReading, allowOlder { return "--allow-older has no effect with --plan and --rehearse." }
    return isReading && skipsBackup ? "--no-backup has no effect with --plan and --rehearse." : nil
  }

  func run() throws {
    try Report.running(quiet: verbosity.quiet) {
      if let check {
        return try ReleaseCheck(model: store, file: check, format: format).run(updates: update)
      }
      try requireStoreAndModel()
      do {
        try start()
      } catch let error as StoreError where error.code == .busy && mode == .run {
        let cause = ToolError(error)
        throw ToolError("\(cause.message)\n  Nothing was migrated.", hint: cause.hint)
      }
    }
  }

  private var mode: MigrationOutput.Mode { plan ? .plan : rehearse ? .rehearsal : .run }

  /// Finds the models and the mapping, and plans, rehearses or runs the migration.
  private func start() throws {
    try StoreOptions.requireFile(
      store,
      "migrate",
      because: "it forecasts and rehearses the steps of a migration in SQLite"
    )
    if mode == .run { try UnfinishedTransaction.rollBack(in: store) }
    let models = try MigrationModels(
      store: store,
      model: URL(fileURLWithPath: model ?? ""),
      version: to,
      sourceModel: from.map { URL(fileURLWithPath: $0) }
    )
    var output = MigrationOutput(store: store, models: models, format: format, mode: mode)
    output.skipsBackup = skipsBackup
    if models.isCurrent { return output.writeCurrent(mapping: mapping) }
    var notes = [models.orderNote].compactMap(\.self)
    let search = try mappingModels(models)
    if let file = search.found {
      let migration = MappingMigration(file, models, store: store)
      return try run(migration, file: file, models, notes: notes, output)
    }
    notes += search.misses.map { .unusedMappingModel($0.name, $0.differences) }
    let mapping: ModelMapping
    do {
      mapping = try ModelMapping(inferredFrom: models.source, to: models.destination.definition)
    } catch let failure as InferenceFailure {
      let chain = models.chain()
      if plan, let chain, models.entities == nil {
        try output.writeSteps(of: chain, SQLiteStoreOptions(path: store))
      }
      throw found(output.refusal(failure, chain, notes))
    }
    let isUnrelated = mapping.destinationEntities.allSatisfy { $0 == nil }
    if isUnrelated, !models.source.entities.isEmpty, !allowLoss { throw found(output.unrelated) }
    try run(mapping, models, notes: notes, output)
  }

  /// Returns the error to throw if something prevents the migration.
  ///
  /// With `--plan` or `--rehearse`, prints the error and returns exit code 1, because these options search
  /// for such errors.
  private func found(_ error: any Error) -> any Error {
    guard mode != .run, let error = error as? ToolError else { return error }
    Terminal.printError("coredata: \(error)")
    return ExitCode(1)
  }

  /// Throws an error if the model was passed before the store, or if the store was passed twice.
  private func requireStoreAndModel() throws {
    if let model, StoreFiles(path: store, timeout: 0).isSame(as: model) {
      throw ToolError(
        "\(model): the store was also passed as the model",
        hint: "Pass the model to migrate to (.xcdatamodeld, .momd) after the store."
      )
    }
    let url = URL(fileURLWithPath: store)
    let isModel =
      ["xcdatamodeld", "xcdatamodel", "momd", "mom", "omo", "contents"].contains(url.pathExtension)
      || url.lastPathComponent == "contents"
    guard isModel, FileManager.default.fileExists(atPath: store), !ModelOpening.isStore(url) else {
      return
    }
    throw ToolError(
      "\(store) is a model",
      hint: "The store comes first: coredata migrate <store> <model>."
    )
  }

  private func run(
    _ mapping: ModelMapping,
    _ models: MigrationModels,
    notes: [MigrationForecast.Note],
    _ output: MigrationOutput
  ) throws {
    var options = SQLiteStoreOptions(path: store)
    options.timeout = Self.timeout
    options.entities = models.entities
    let forecast = try forecast(mapping, options).adding(notes)
    if plan {
      output.write(forecast)
      if !forecast.concerns.isEmpty { throw ExitCode(1) }
      return
    }
    if !forecast.refusals.isEmpty { throw found(output.error(forecast.refusals)) }
    if rehearse {
      let outcome = try rehearsal(mapping, options, forecast)
      output.write(outcome, forecast)
      let isFine =
        outcome.isEqual && forecast.losses.isEmpty && forecast.invalids.isEmpty
        && forecast.older == nil
      if !isFine { throw ExitCode(1) }
      return
    }
    if let older = forecast.older, !allowOlder { throw output.error(older: older) }
    if !allowLoss { try requireNoLoss(mapping, options, forecast, output: output) }
    let run = MigrationRun(mapping, options: options, forecast: forecast)
    let (outcome, backup) = try backedUp(models, output) { try migrate(run) }
    output.write(outcome, forecast, backup: backup)
  }

  // MARK: Mapping models

  private func mappingModels(_ models: MigrationModels) throws -> MappingModelFile.Search {
    if let mapping {
      let file = try MappingModelFile(URL(fileURLWithPath: mapping), for: models)
      return MappingModelFile.Search(found: file, misses: [])
    }
    if infer { return MappingModelFile.Search(found: nil, misses: []) }
    return try MappingModelFile.search(beside: URL(fileURLWithPath: model ?? ""), for: models)
  }

  private func run(
    _ migration: MappingMigration,
    file: MappingModelFile,
    _ models: MigrationModels,
    notes: [MigrationForecast.Note],
    _ output: MigrationOutput
  ) throws {
    let forecast = try migration.forecast().adding(notes)
    if plan {
      output.write(forecast, mappingModel: file.name)
      if !forecast.concerns.isEmpty { throw ExitCode(1) }
      return
    }
    if !file.policies.isEmpty { throw found(output.error(missing: file)) }
    if !forecast.refusals.isEmpty { throw found(output.error(forecast.refusals)) }
    if rehearse {
      let outcome = try rehearsal(migration, forecast)
      output.write(outcome, forecast, mappingModel: file.name)
      if !outcome.isEqual || !forecast.losses.isEmpty || forecast.older != nil { throw ExitCode(1) }
      return
    }
    if let older = forecast.older, !allowOlder { throw output.error(older: older) }
    if !allowLoss, !forecast.losses.isEmpty { throw output.error(forecast.losses) }
    let (outcome, backup) = try backedUp(models, output) { try migration.run(forecast) }
    output.write(outcome, forecast, backup: backup)
  }

  /// Migrates the store, after making a backup unless `--no-backup` was given; returns the backup's path.
  ///
  /// If the migration fails and the store still has its old model, the backup is removed. A migration is one
  /// transaction, so such a store is unchanged.
  private func backedUp(
    _ models: MigrationModels,
    _ output: MigrationOutput,
    _ body: () throws -> MigrationRun.Outcome
  ) throws -> (outcome: MigrationRun.Outcome, backup: String?) {
    var backup: StoreBackup?
    do {
      try requireLock()
      if !skipsBackup {
        var made = StoreBackup(of: store)
        defer { backup = made }
        try made.write()
        output.writeBackup(made.path)
      }
      return (try body(), backup?.path)
    } catch {
      if models.isSource(ofStore: store) {
        let removed = backup.flatMap { $0.remove() ? $0.path : nil }
        throw output.error(unchanged: error, removed: removed)
      }
      guard let backup, backup.exists else { throw error }
      throw output.error(unknown: error, backup: backup.path)
    }
  }

  /// Throws `StoreError.busy` if another connection holds the write lock until the timeout.
  ///
  /// This check precedes the backup, so that no backup is made in vain.
  private func requireLock() throws {
    do {
      try StoreFiles(path: store, timeout: Self.timeout).blockingWrites {}
    } catch let error as StoreError where error.code != .busy {
      // The backup or the migration fails with the same error, whose text names the remedy.
    }
  }

  // MARK: Inferred mappings

  private func forecast(
    _ mapping: ModelMapping,
    _ options: SQLiteStoreOptions
  ) throws -> MigrationForecast {
    let progress = Progress("Counting")
    defer { progress.finish() }
    return try MigrationForecast(
      mapping,
      StoreFile(path: store, access: .untouched),
      options: options,
      progress: { progress.update($0) }
    )
  }

  /// Throws an error if the migration would lose something, or if objects could not be saved afterwards.
  ///
  /// If the forecast has doubts, only a rehearsal can show whether links would be lost, so the method runs
  /// one.
  private func requireNoLoss(
    _ mapping: ModelMapping,
    _ options: SQLiteStoreOptions,
    _ forecast: MigrationForecast,
    output: MigrationOutput
  ) throws {
    let concerns = forecast.losses + forecast.invalids
    if !concerns.isEmpty { throw output.error(concerns) }
    if forecast.doubts.isEmpty { return }
    let outcome = try rehearsal(mapping, options, forecast)
    if !outcome.isEqual { throw output.error(outcome) }
  }

  private func rehearsal(
    _ mapping: ModelMapping,
    _ options: SQLiteStoreOptions,
    _ forecast: MigrationForecast
  ) throws -> MigrationRehearsal.Outcome {
    let progress = Progress("Comparing")
    defer { progress.finish() }
    return try MigrationRehearsal(mapping, options: options).run(
      forecast,
      started: migrate,
      progress: { progress.update($0) }
    )
  }

  private func rehearsal(
    _ migration: MappingMigration,
    _ forecast: MigrationForecast
  ) throws -> MigrationRehearsal.Outcome {
    let progress = Progress("Comparing")
    defer { progress.finish() }
    return try migration.rehearse(forecast, progress: { progress.update($0) })
  }

  private func migrate(_ run: MigrationRun) throws -> MigrationRun.Outcome {
    try TimedProgress("Migrating", total: run.progress.total) { [progress = run.progress] in
      progress.rows
    }.during(run.run)
  }
}
#endif
