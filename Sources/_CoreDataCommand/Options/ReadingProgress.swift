// SPDX-License-Identifier: Apache-2.0

import _CoreDataTools

/// The progress of reading records, which may be read more than once.
final class ReadingProgress {
  private let label: String
  private var reading = 1
  private var line: Progress

  init(_ label: String) {
    self.label = label
    line = Progress(label)
  }

  func update(_ progress: ImportProgress) {
    if progress.reading != reading {
      line.finish()
      reading = progress.reading
      line = Progress(reading == 1 ? label : "Relating")
    }
    line.update(progress.records, fraction: progress.fraction)
  }

  /// Takes the line away when the work ends, also by an error.
  func during<T>(_ work: () throws -> T) rethrows -> T {
    defer { line.finish() }
    return try work()
  }
}
