// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// Repairs what a doctor found: a backup first, then all of it in one transaction.
package struct Treatment {
  /// One thing that was done.
  package struct Step {
    package let finding: Finding
    /// What was done, in the imperative.
    package let action: String
    /// Rows or files that were changed.
    package let changes: Int
    /// What was taken away, a line for each row with its values.
    package let losses: [String]
  }

  package let path: String
  package let model: ModelDefinition

  package init(path: String, model: ModelDefinition) {
    self.path = path
    self.model = model
  }

  /// Where the next backup goes: `Shop.sqlite.backup`, or a number behind it.
  package var backupPath: String {
    var candidate = path + ".backup"
    var number = 2
    while FileManager.default.fileExists(atPath: candidate) {
      candidate = "\(path).backup-\(number)"
      number += 1
    }
    return candidate
  }

  /// Repairs what can be repaired and tells what it changed; nil `backup` makes none.
  ///
  /// Everything is looked for again inside the transaction, so that what is repaired is what is there.
  /// Repairing one thing may bring out another: it goes on until nothing changes any more. Hints are left as
  /// they are; inverses that the repair itself made one-sided are completed where there were none before. A
  /// store with a history gets one transaction that tells of all objects that changed.
  /// - Throws: `StoreError`, `ToolError`; then the store is as it was.
  package func repair(backup: String?) throws -> [Step] {
    let file = try StoreFile(path: path, access: .readWrite)
    if let backup {
      do {
        try file.copy(to: backup)
      } catch {
        throw ToolError(
          "\(backup): the backup cannot be written, so nothing was repaired",
          hint: ToolError(error).message
        )
      }
    }
    let steps = try file.transaction {
      var steps: [Step] = []
      var told = FileHistory(model: model)
      var hinted: Set<String>?
      for _ in 0..<6 {
        let all = try Doctor(file, model: model).examine()
        let known = hinted ?? Set(all.filter { $0.severity == .hint }.map(\.place))
        hinted = known
        let findings = all.filter {
          $0.repair != nil || $0.completion != nil && !known.contains($0.place)
        }
        // Which of two sides gives way is only known once no side leads nowhere.
        var done = try findings.filter { $0.check != .inverse }
          .compactMap { try run($0, file, &told) }
        if done.isEmpty {
          done = try findings.filter { $0.check == .inverse }
            .compactMap { try run($0, file, &told) }
        }
        steps += done
        if done.isEmpty { break }
      }
      try file.write(told, by: HistoryAuthor(author: Self.author))
      return steps
    }
    // A save makes its files before its rows are there; under the lock there is none under way.
    return steps + (try file.transaction { try moveOrphans(file, beside: backup) })
  }

  /// What the history says of who changed the objects.
  package static let author = "coredata doctor"

  private func run(
    _ finding: Finding,
    _ file: StoreFile,
    _ told: inout FileHistory
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
        try file.forEach(objects) { told.note($0[0].whole, entity: $0[1].whole, slot: change.slot) }
      }
      let changed = try file.execute(change.statement.text, change.statement.bindings)
      if change.isVersionAlone { continue }
      // The engine counts no rows for what is no change of rows.
      changes += change.statement.text == "REINDEX" ? finding.count : changed
    }
    if changes == 0 { return nil }
    return Step(finding: finding, action: repair.action, changes: changes, losses: losses)
  }

  /// Files cannot be part of the transaction; they are moved, never deleted.
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
