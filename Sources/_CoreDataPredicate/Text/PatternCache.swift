// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A cache of up to 128 compiled regular expressions, so that a `MATCHES` seldom compiles its pattern again.
enum PatternCache {
  private struct Key: Hashable {
    let text: String
    let folding: TextFolding
  }
  private static let patterns = Mutex<[Key: NSRegularExpression]>([:])

  /// Returns the regular expression `text`, extended so that a match must end at the end of the searched
  /// text; nil if `text` is not a valid regular expression.
  ///
  /// With `[d]`, diacritics are removed from the regular expression; the caller must remove them from the
  /// searched text too.
  static func pattern(_ text: String, _ folding: TextFolding) -> NSRegularExpression? {
    let key = Key(text: text, folding: folding)
    if let known = patterns.withLock({ $0[key] }) { return known }
    let options: NSRegularExpression.Options = folding.ignoresCase ? .caseInsensitive : []
    let source = plain(text, folding)
    guard
      // The expression is first compiled alone, because an invalid one, such as `a)|(b`, can be valid inside
      // `(?:…)`. Both errors are dropped, because the callers throw an error with the pattern's text if the
      // result is nil.
      (try? NSRegularExpression(pattern: source, options: options)) != nil,
      let made = try? NSRegularExpression(pattern: "(?:\(source))\\z", options: options)
    else { return nil }
    patterns.withLock { cache in
      if cache.count >= 128 { cache.removeAll() }
      cache[key] = made
    }
    return made
  }

  /// Returns the text without diacritics if the folding ignores them; the case of letters is preserved.
  static func plain(_ text: String, _ folding: TextFolding) -> String {
    guard folding.ignoresDiacritics else { return text }
    let folded = TextFolding(.diacriticInsensitive).folded(text)
    return String(decoding: folded, as: UTF8.self)
  }
}
