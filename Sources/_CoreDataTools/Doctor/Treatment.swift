// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// Repairs the problems that a `Doctor` finds: makes a backup, repairs all rows in one transaction, and then
/// moves the files that no object refers to.
package struct Treatment {
  /// One repair that was made.
  package struct Step {
    package let finding: Finding
    /// What the repair did, in the imperative.
    package let action: String
    /// The number of changed or deleted rows, or of moved files; if indexes were rebuilt, the finding's
    /// count.
    ///
    /// Rows of which only the version changed are not counted.
    package let changes: Int
    /// The values that were removed, one line per row.
    package let losses: [String]
  }

  package let path: String
  package let model: ModelDefinition

  /// Creates a treatment with a complete model.
  package init(path: String, model: ModelDefinition) {
    self.path = path
    self.model = model
  }

  /// Creates a treatment with the model that was loaded for the store.
  ///
  /// - Throws: `ToolError` if the model was reconstructed from the store's tables. Such a model does not know
  ///   which attributes have external storage, so their files would seem unused.
  package init(path: String, _ loaded: LoadedModel) throws {
    if loaded.source.isReconstructed {
      throw ToolError(
        "\(path): the model was reconstructed from the tables, but a repair requires "
          + "the model with which the store was created",
        hint: "Pass the model with --model MODEL.xcdatamodeld (or .momd)."
      )
    }
    self.init(path: path, model: loaded.definition)
  }

  /// The path that `StoreBackup` would choose for the next backup.
  package var backupPath: String { StoreBackup(of: path).path }

  /// Repairs the store and returns the repairs made.
  ///
  /// If `backup` is nil, no backup is made and no file is moved. The checks run again inside the transaction,
  /// so that the findings are current. A repair can reveal another problem, so checks and repairs are
  /// repeated until nothing changes, at most six times. A hint is repaired only if it is a one-sided inverse
  /// in a property that had no hint before the repair. If the store has persistent history, one history
  /// transaction records the objects whose relationships changed.
  /// - Throws: `StoreError`, `ToolError`, and Foundation's error if a file cannot be moved. If the repair of
  ///   the rows fails, the store is unchanged. After a later error, the rows are repaired, and some files may
  ///   have been moved.
  package func repair(backup: String?) throws -> [Step] {
    let file = try StoreFile(path: path, access: .readWrite)
    if let backup {
      do {
        try file.copy(to: backup)
      } catch {
        let cause = ToolError(error)
        throw ToolError(
          "\(backup): the backup cannot be written, so nothing was repaired: \(cause.message)",
          hint: cause.hint
            ?? "Check that the folder is writable and has enough space for a copy of the store."
        )
      }
    }
    let steps = try file.transaction {
      var steps: [Step] = []
      var history = FileHistory(model: model)
      var hinted: Set<String>?
      for _ in 0..<6 {
        let all = try Doctor(file, model: model).examine()
        let known = hinted ?? Set(all.filter { $0.severity == .hint }.map(\.location))
        hinted = known
        let findings = all.filter {
          $0.repair != nil || $0.completion != nil && !known.contains($0.location)
        }
        // Inverses are repaired last, because all references must be valid before the side to clear can be
        // determined.
        var done = try findings.filter { $0.check != .inverse }
          .compactMap { try run($0, file, &history) }
        if done.isEmpty {
          done = try findings.filter { $0.check == .inverse }
            .compactMap { try run($0, file, &history) }
        }
        steps += done
        if done.isEmpty { break }
      }
      try file.write(history, by: HistoryAuthor(author: Self.author))
      return steps
    }
    // A save creates files before rows, so the files of a save in progress would seem unused. The lock of the
    // transaction ensures that no save is in progress.
    return steps + (try file.transaction { try moveOrphans(file, beside: backup) })
  }

  /// The author of the repair's transaction in the persistent history.
  package static let author = "coredata doctor"

  private func run(
    _ finding: Finding,
    _ file: StoreFile,
    _ history: inout FileHistory
  ) throws -> Step? {
    guard let repair = finding.repair ?? finding.completion, !repair.changes.isEmpty else {
      return nil
    }
    var changes = 0
    var losses: [String] = []
    for change in repair.changes {
      if let lost = change.losses {
        try file.forEach(lost) { losses += $0.compactMap(\.text) }
      }
      if let objects = change.objects {
        try file.forEach(objects) {
          history.note($0[0].whole, entity: $0[1].whole, slot: change.slot)
        }
      }
      let changed = try file.execute(change.statement.text, change.statement.bindings)
      if change.changesOnlyVersion { continue }
      // SQLite reports no changed rows for REINDEX.
      changes += change.statement.text == "REINDEX" ? finding.count : changed
    }
    if changes == 0 { return nil }
    return Step(finding: finding, action: repair.action, changes: changes, losses: losses)
  }

  /// Moves the files that no object refers to into a folder beside the backup; does nothing if `backup` is
  /// nil.
  ///
  /// The files are moved, not deleted, so that they can be restored.
  private func moveOrphans(_ file: StoreFile, beside backup: String?) throws -> [Step] {
    guard let backup else { return [] }
    let source = ExternalFolder(store: path).url
    let target = URL(fileURLWithPath: backup + "-files")
    return try Doctor(file, model: model).externalFiles().compactMap { finding in
      guard let repair = finding.repair, !repair.files.isEmpty else { return nil }
      let files = repair.files
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      for name in files {
        try FileManager.default.moveItem(
          at: source.appendingPathComponent(name),
          to: target.appendingPathComponent(name)
        )
      }
      return Step(finding: finding, action: repair.action, changes: files.count, losses: [])
    }
  }
}
