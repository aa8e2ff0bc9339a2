// SPDX-License-Identifier: Apache-2.0

#if Command
import Foundation
import _CoreDataTools

/// A progress line on standard error; shown only if standard error is a terminal and `--quiet` was not given.
final class Progress {
  private let label: String
  private let total: Int?
  private let started = Date()
  private var shown = Date.distantPast
  private var hasLine = false

  init(_ label: String, total: Int? = nil) {
    self.label = label
    self.total = total
  }

  /// Shows the number of finished items and, if known, the finished fraction of the work.
  ///
  /// Updates the line at most ten times per second, and not in the first half second.
  func update(_ done: Int, fraction: Double? = nil) {
    guard Terminal.showsProgress else { return }
    let now = Date()
    let seconds = now.timeIntervalSince(started)
    if seconds < 0.5 || now.timeIntervalSince(shown) < 0.1 { return }
    shown = now
    hasLine = true
    let text = ProgressText(label, done: done, of: total, fraction: fraction, seconds: seconds)
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text.line)".utf8))
  }

  func finish() {
    if hasLine { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    hasLine = false
  }
}

/// The progress of an import, which may read the records several times; each reading has its own progress
/// line.
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

  func during<T>(_ work: () throws -> T) rethrows -> T {
    defer { line.finish() }
    return try work()
  }
}

/// The progress of work that does not report its progress: another thread repeatedly reads the number of
/// finished items.
final class TimedProgress {
  private let label: String
  private let total: Int
  private let done: @Sendable () -> Int

  init(_ label: String, total: Int, done: @escaping @Sendable () -> Int) {
    self.label = label
    self.total = total
    self.done = done
  }

  func during<T>(_ work: () throws -> T) rethrows -> T {
    guard Terminal.showsProgress else { return try work() }
    let (end, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread { [label, total, done] in
      let progress = Progress(label, total: total)
      while end.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
        progress.update(done())
      }
      progress.finish()
      ended.signal()
    }
    thread.start()
    defer {
      end.signal()
      ended.wait()
    }
    return try work()
  }
}
#endif
