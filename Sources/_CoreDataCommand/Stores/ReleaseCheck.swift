// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataTools

/// `coredata migrate MODEL --check FILE`: compares a model's versions with a file of released versions.
struct ReleaseCheck {
  let model: String
  let file: String
  let format: FormatOptions

  /// Prints the differences; if `updates` is true, writes the file instead.
  ///
  /// - Throws: exit code 1 if there is a difference; `ToolError` or `ModelError` if the model or the file
  ///   cannot be read, or the file cannot be written.
  func run(updates: Bool) throws {
    let url = URL(fileURLWithPath: model)
    if ModelOpening.isStore(url) {
      throw ToolError(
        "\(model): the file is a store, but --check compares the versions of a model",
        hint:
          "Pass the model (.xcdatamodeld, .momd) instead: coredata migrate <model> --check \(file)"
      )
    }
    let now = try ReleasedVersions(of: url)
    // The error is dropped: if `current` is nil, every version must be in the file.
    let current = try? ModelOpening.currentVersion(of: url)
    if updates { return try update(to: now) }
    let released = try ReleasedVersions(file: file)
    let problems = released.problems(in: now, current: current)
    if format.format == .table {
      for problem in problems { Terminal.write("\(problem.version): \(problem.text)\n") }
    } else {
      var writer = format.writer(["version", "problem"])
      for problem in problems { writer.write([.text(problem.version), .text(problem.text)]) }
      writer.finish()
    }
    if !problems.isEmpty { throw ExitCode(1) }
  }

  /// Returns the list in the file; nil if there is no file, or if the list in it is damaged.
  ///
  /// - Throws: `ToolError` for a file that does not appear to be such a list, so that it is not replaced.
  private func former() throws -> ReleasedVersions? {
    if !FileManager.default.fileExists(atPath: file) { return nil }
    do {
      return try ReleasedVersions(file: file)
    } catch {
      guard ReleasedVersions.isDamaged(file: file) else { throw error }
      Terminal.printNotice(
        "\(file): the former list cannot be read and is replaced, so edits of released versions are not shown"
      )
      return nil
    }
  }

  private func update(to now: ReleasedVersions) throws {
    let before = try former()
    try now.write(to: file)
    let changes = before?.problems(in: now, current: nil) ?? []
    // A version that the file did not contain is new. Every other change is an edit of a released version.
    for change in changes where before?.versions[change.version] != nil {
      Terminal.printNotice("approved: \(change.version): \(change.text)")
    }
    Terminal.printNotice("\(file): \(CellText.count(now.versions.count, "version"))")
  }
}
#endif
