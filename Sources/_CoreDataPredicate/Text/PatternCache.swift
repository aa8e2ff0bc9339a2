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
  /// With `[d]` the pattern loses its diacritics, and so has to the text that is matched.
  static func pattern(_ text: String, _ folding: TextFolding) -> NSRegularExpression? {
    let key = Key(text: text, folding: folding)
    if let known = patterns.withLock({ $0[key] }) { return known }
    let options: NSRegularExpression.Options = folding.ignoresCase ? .caseInsensitive : []
    let source = plain(text, folding)
    guard
      // The callers refuse a pattern that gives nil, with its text.
      (try? NSRegularExpression(pattern: source, options: options)) != nil,
      let made = try? NSRegularExpression(pattern: "(?:\(source))\\z", options: options)
    else { return nil }
    patterns.withLock { cache in
      if cache.count >= 128 { cache.removeAll() }
      cache[key] = made
    }
    return made
  }

  /// The text as patterns see it: without diacritics where they are ignored, its case kept.
  static func plain(_ text: String, _ folding: TextFolding) -> String {
    guard folding.ignoresDiacritics else { return text }
    let folded = TextFolding(.diacriticInsensitive).folded(text)
    return String(decoding: folded, as: UTF8.self)
  }
}
