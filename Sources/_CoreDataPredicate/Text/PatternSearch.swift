// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One search of a regular expression at the start of a text, which ends after so many steps.
///
/// Some patterns need steps that double with each character of a text (`(a+)+b`), and others more memory than
/// the expression engine has for its way back. Steps are counted rather than time, so that the same text always
/// has the same result. Source: documented (NSRegularExpression, `MatchingOptions.reportProgress`); the bound
/// is chosen: it is some 0.3 s for a short text, and grows with the text.
final class PatternSearch: @unchecked Sendable {
  // Unchecked: the block that changes it runs inside `run`, on the caller's thread.
  enum Outcome {
    case none, match, gaveUp
  }
  private let text: String
  private let length: Int
  /// Reports of progress that may still come; the engine sends one every 10,000 steps or so.
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
        outcome = .gaveUp
      } else if flags.contains(.progress) {
        reports -= 1
        if reports >= 0 { return }
        outcome = .gaveUp
      } else {
        return
      }
      stop.pointee = true
    }
    return outcome
  }
}
