// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A match of a regular expression at the start of a text, with a limit on the number of steps.
///
/// For some patterns, such as `(a+)+b`, the number of steps doubles with each character of the text; other
/// patterns exhaust the engine's memory for backtracking. The limit counts steps instead of time, so that the
/// result is deterministic.
///
/// Source: documented (NSRegularExpression, `MatchingOptions.reportProgress`). The limit is this library's
/// choice: a match stops after about 300 ms for a short text, and after proportionally more for a long text.
final class PatternSearch: @unchecked Sendable {
  // Unchecked: the block that changes the state runs inside `run`, on the caller's thread.
  enum Outcome {
    case none, match
    case tooManySteps
    /// The engine stopped by itself, usually because its memory for backtracking was exhausted.
    case engineFailed
  }
  private let text: String
  private let length: Int
  /// The number of progress reports that are still allowed; the engine sends a report about every 10,000
  /// steps.
  private var reports: Int
  private var outcome = Outcome.none

  init(_ text: String) {
    self.text = text
    length = text.utf16.count
    reports = 1_000 + length / 100
  }

  func run(_ pattern: NSRegularExpression) -> Outcome {
    pattern.enumerateMatches(
      in: text,
      options: [.anchored, .reportProgress, .reportCompletion],
      range: NSRange(location: 0, length: length)
    ) { [self] match, flags, stop in
      if match != nil {
        outcome = .match
      } else if flags.contains(.internalError) {
        outcome = .engineFailed
      } else if flags.contains(.progress) {
        reports -= 1
        if reports >= 0 { return }
        outcome = .tooManySteps
      } else {
        return
      }
      stop.pointee = true
    }
    return outcome
  }
}
