// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Compiled regular expressions by their source, so that a `MATCHES` on a key path compiles once.
enum PatternCache {
  private struct Key: Hashable {
    let text: String
    let folding: TextFolding
  }
  private static let patterns = Mutex<[Key: NSRegularExpression]>([:])

  /// The expression that matches whole texts, or nil where `text` is not valid.
  ///
  /// Diacritics are not folded in patterns: `[d]` has no effect on them.
  static func pattern(_ text: String, _ folding: TextFolding) -> NSRegularExpression? {
    let key = Key(text: text, folding: folding)
    if let known = patterns.withLock({ $0[key] }) { return known }
    let options: NSRegularExpression.Options = folding.ignoresCase ? .caseInsensitive : []
    guard
      (try? NSRegularExpression(pattern: text, options: options)) != nil,
      let made = try? NSRegularExpression(pattern: "(?:\(text))\\z", options: options)
    else { return nil }
    patterns.withLock { cache in
      if cache.count >= 128 { cache.removeAll() }
      cache[key] = made
    }
    return made
  }
}
