// SPDX-License-Identifier: Apache-2.0

/// Functions that measure the number of terminal columns that a text occupies.
package enum DisplayWidth {
  /// Returns the number of terminal columns that `text` occupies.
  package static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// Returns the number of terminal columns that `character` occupies.
  ///
  /// Wide East Asian characters, and emoji that are displayed as pictures by default, occupy two columns.
  static func of(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// Returns the text or, if it is wider than `width` terminal columns, its beginning with `…` at the end.
  ///
  /// `width` must be at least 1.
  package static func cut(_ text: String, to width: Int) -> String {
    if of(text) <= width { return text }
    var out = ""
    var used = 0
    for character in text {
      let next = of(character)
      if used + next > width - 1 { break }
      out.append(character)
      used += next
    }
    return out + "…"
  }
}
